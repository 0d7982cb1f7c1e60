/** Who revoked a key, and what happened to a person. */
export const WHO = `
ALTER TABLE api_key ADD COLUMN revoked_by TEXT;
ALTER TABLE person ADD COLUMN history TEXT;
`;
