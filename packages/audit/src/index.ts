export { addAuditCommands } from './program.ts';
export { ReplayBundles, type Replayed, replayRecord } from './replay-record.ts';
