/** The configuration of the reader, or a failure that lists every error in it. */
import { CommandFailure, listFaults } from '@writecheck/contract/command';
import { type ReaderConfig, readReaderConfig } from '@writecheck/facts';

export function readerConfig(file: string): ReaderConfig {
  const read = readReaderConfig(file, process.env);
  if (read.kind === 'config') return read.config;
  throw new CommandFailure(listFaults(`\`${file}\` cannot be used:`, read.faults));
}
