/** Reads a YAML file that must hold a mapping. */
import { isObject, visible } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import { parse } from 'yaml';
import { textOf } from '../files.ts';

export async function readMapping(
  file: string,
  example: string,
): Promise<{ readonly [name: string]: unknown }> {
  let value: unknown;
  try {
    value = parse(await textOf(file));
  } catch (error) {
    if (!(error instanceof Error && error.name.startsWith('YAML'))) throw error;
    throw new CommandFailure(`\`${file}\` is not valid YAML: ${visible(error.message.split('\n', 1)[0]!)}`);
  }
  if (isObject(value)) return value;
  throw new CommandFailure(`\`${file}\` must contain a mapping, such as \`${example}\``);
}
