/** What the author of a policy revision says about it. */
export const MESSAGES = 'ALTER TABLE writecheck.policy ADD COLUMN message text;';
