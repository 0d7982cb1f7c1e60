/** Reads the YAML or JSON file that maps tools to intents. */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CommandFailure, listFaults } from '@writecheck/contract/command';
import { parse } from 'yaml';
import { type Mapping, readMapping } from '../mapping/index.ts';

export interface MappingFile {
  readonly mapping: Mapping;
  /** Relative paths in the mapping start here. */
  readonly folder: string;
}

/** Throws a CommandFailure that lists every error. */
export async function readMappingFile(file: string): Promise<MappingFile> {
  let value: unknown;
  try {
    value = parse(await readFile(file, 'utf8'));
  } catch (error) {
    const why = error instanceof Error && error.name.startsWith('YAML') ? error.message : 'it cannot be read';
    throw new CommandFailure(`the mapping \`${file}\`: ${why}`);
  }
  const read = readMapping(value);
  if (read.kind === 'invalid')
    throw new CommandFailure(listFaults(`the mapping \`${file}\` has errors:`, read.faults));
  return { mapping: read.mapping, folder: dirname(resolve(file)) };
}
