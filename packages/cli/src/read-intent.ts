/** Reads the write that a command is about: from a file, or from standard input. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parseIntent, type WriteIntent } from '@writecheck/contract';
import { CommandFailure, listFaults } from '@writecheck/contract/command';

export interface ReadIntent {
  readonly bytes: Buffer;
  readonly intent: WriteIntent;
}

export async function readIntent(file: string, exitCode = 1): Promise<ReadIntent> {
  const name = file === '-' ? 'standard input' : `\`${file}\``;
  let bytes: Buffer;
  try {
    bytes = file === '-' ? Buffer.from(await text(process.stdin)) : await readFile(file);
  } catch {
    throw new CommandFailure(`${name} cannot be read; give a file or - for stdin`, exitCode);
  }
  const parsed = parseIntent(bytes);
  if (parsed.kind === 'intent') return { bytes, intent: parsed.intent };
  const faults = parsed.details.map(({ pointer, message }) =>
    pointer === '' ? message : `${pointer}: ${message}`,
  );
  throw new CommandFailure(listFaults(`${name} is not a valid intent (${parsed.code}):`, faults), exitCode);
}
