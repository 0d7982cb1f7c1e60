export { keysOf, linesOf } from './files.ts';
export { ReplayBundles, type Replayed, replayRecord } from './replay-record.ts';
