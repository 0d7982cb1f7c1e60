/** The commands, apart from the code that they load when they run. */
export { undeterminedOnMisuse } from './fail.ts';
export { addAuditCommands } from './program.ts';
export { addReconcileCommand } from './reconcile/program.ts';
export { AUDIT_SECRETS, readSecretFiles } from './secret-files.ts';
