export { keysOf, linesOf } from './files.ts';
export { addAuditCommands } from './program.ts';
export { addReconcileCommand } from './reconcile/program.ts';
export { ReplayBundles, type Replayed, replayRecord } from './replay-record.ts';
export { AUDIT_SECRETS, readSecretFiles } from './secret-files.ts';
