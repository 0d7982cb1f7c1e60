/** What the author of a policy revision says about it. */
export const MESSAGES = 'ALTER TABLE policy ADD COLUMN message TEXT;';
