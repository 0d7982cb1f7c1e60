export { UnusableMember } from './failures.ts';
export { type ReadConfig, type ReaderConfig, readReaderConfig } from './read-config.ts';
export { openReader, type Reader, type ReadOutcome } from './reader.ts';
export type { ReaderLog } from './reader-log.ts';
export { createReaderMetrics, type ReaderMetrics } from './reader-metrics.ts';
export { type ReaderOptions, type RunningReader, startReader } from './reader-server.ts';
export type { ReadFacts } from './sign-facts.ts';
