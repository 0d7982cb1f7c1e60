/** The commands, apart from the code that they load when they run, and what other commands share with them. */
export { undeterminedOnMisuse } from './fail.ts';
export { addAuditCommands } from './program.ts';
export { AUDIT_SECRETS, readSecretFiles } from './secret-files.ts';
