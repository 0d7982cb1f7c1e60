/** Reads `--columns`, a YAML mapping of a file's columns to the members of a change. */
import { visible } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import { CHANGE_MEMBERS, type ChangeMember } from './change.ts';
import { readMapping } from './read-mapping.ts';

export type ColumnSource =
  | { readonly kind: 'column'; readonly name: string }
  | { readonly kind: 'value'; readonly value: string };

/** INVARIANT: `operation` is missing unless the mapping names it: many files have such a column for something else. */
export type Columns = { readonly [member in Exclude<ChangeMember, 'operation'>]: ColumnSource } & {
  readonly operation?: ColumnSource;
};

export async function readColumns(file: string | undefined): Promise<Columns> {
  return columnsFrom(file === undefined ? {} : await readMapping(file, 'objectRef: VENDOR_ID'));
}

function columnsFrom(given: { readonly [name: string]: unknown }): Columns {
  const known: readonly string[] = CHANGE_MEMBERS;
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw wrong(`--columns names \`${visible(unknown)}\`; only ${CHANGE_MEMBERS.join(', ')} are known`);
  }
  const entries = CHANGE_MEMBERS.filter(
    (member) => member !== 'operation' || Object.hasOwn(given, member),
  ).map((member) => [member, sourceOf(member, given)] as const);
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
