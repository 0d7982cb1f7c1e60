/** The version of every package of ours, as published. A release sets it; a test compares it with each `package.json`. */
export const VERSION = '0.2.0';
