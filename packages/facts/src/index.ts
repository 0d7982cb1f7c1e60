export { type ReadConfig, type ReaderConfig, readReaderConfig } from './config.ts';
export { UnusableMember } from './failures.ts';
export { Reader, type ReadOutcome } from './reader.ts';
export { type ReaderLog, type ReaderOptions, type RunningReader, startReader } from './serve.ts';
export type { ReadFacts } from './sign.ts';
