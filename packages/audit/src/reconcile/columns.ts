/** Where a file keeps what a change must say: `--columns`, a YAML mapping. */
import { visible } from '@writecheck/contract';
import { parse } from 'yaml';
import { CommandFailure } from '../fail.ts';
import { textOf } from '../files.ts';
import { CHANGE_MEMBERS, type ChangeMember } from './change.ts';

export type ColumnSource =
  | { readonly kind: 'column'; readonly name: string }
  | { readonly kind: 'value'; readonly value: string };

export type Columns = { readonly [member in ChangeMember]: ColumnSource };

export async function readColumns(file: string | undefined): Promise<Columns> {
  if (file === undefined) return columnsFrom({});
  let value: unknown;
  try {
    value = parse(await textOf(file));
  } catch (error) {
    if (!(error instanceof Error && error.name.startsWith('YAML'))) throw error;
    throw wrong(`\`${file}\` is not valid YAML: ${visible(error.message.split('\n', 1)[0]!)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong(`\`${file}\` must contain a mapping, such as \`objectRef: VENDOR_ID\``);
  }
  return columnsFrom(value as { readonly [name: string]: unknown });
}

function columnsFrom(given: { readonly [name: string]: unknown }): Columns {
  const known: readonly string[] = CHANGE_MEMBERS;
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw wrong(`--columns names \`${visible(unknown)}\`; only ${CHANGE_MEMBERS.join(', ')} are known`);
  }
  const entries = CHANGE_MEMBERS.map((member) => [member, sourceOf(member, given)] as const);
  return Object.fromEntries(entries) as unknown as Columns;
}

function sourceOf(member: ChangeMember, given: { readonly [name: string]: unknown }): ColumnSource {
  const source = Object.hasOwn(given, member) ? given[member] : member;
  if (typeof source === 'string') return { kind: 'column', name: source };
  const isValue =
    typeof source === 'object' &&
    source !== null &&
    Object.keys(source).join() === 'value' &&
    'value' in source;
  if (isValue && typeof source.value === 'string') return { kind: 'value', value: source.value };
  throw wrong(`--columns: \`${member}\` must be the name of a column or \`{value: TEXT}\`; quote a number`);
}

function wrong(message: string): CommandFailure {
  return new CommandFailure(message);
}
