/** The members of a write that its digest covers, as the page shows them. */
import { DIGEST_MEMBERS, type DigestInput, intentDigest } from '@writecheck/contract';
import { contextOf, inWords, type SaidIntent } from '../decision/said-in-intent.ts';
import { labelOf, rankOf } from '../member-labels.ts';

/** One value to show: a member, or a leaf of `metadata`. */
export interface CoveredRow {
  readonly id: string;
  /** The names that lead to it, outermost first. */
  readonly names: readonly string[];
  /** What people call it; null if the caller chose its name. */
  readonly label: string | null;
  readonly text: string;
}

export type ShownWrite = ReturnType<typeof shown>;
export type CoveredWrite = ReturnType<typeof coveredWrite>;

/** Longer texts are folded. */
export const TEXT_CHARACTERS_MAX = 400;
/** Further rows of metadata are folded. */
export const METADATA_ROWS_MAX = 20;
export const METADATA_FOLD = 'metadata rows';

/** INVARIANT: digest and rows come from the same values, so that a reviewer approves exactly what is shown. */
export function coveredWrite(intent: SaidIntent) {
  const covered = coveredMembers(intent);
  return { ...shown(covered), digest: intentDigest(covered) };
}

/** For lists, which judge many writes and have no use for digests. */
export function shownWrite(intent: SaidIntent) {
  return shown(coveredMembers(intent));
}

type CoveredMembers = { readonly [member in keyof DigestInput]: unknown };

function coveredMembers(intent: SaidIntent): CoveredMembers {
  const isCovered = (member: string) => Object.hasOwn(intent, member) && intent[member] !== null;
  return Object.fromEntries(DIGEST_MEMBERS.filter(isCovered).map((member) => [member, intent[member]]));
}

function shown(covered: CoveredMembers) {
  const has = (member: string) => Object.hasOwn(covered, member);
  const rows: CoveredRow[] = [];
  for (const member of ORDER) if (has(member)) rows.push(rowOf([member], textOf(covered[member])));
  const valueIn = (member: 'agentValue' | 'authorityValue') =>
    has(member) ? rowOf([member], textOf(covered[member])) : null;
  // The value in the authority, and the value that the agent proposes.
  const [before, after] = [valueIn('authorityValue'), valueIn('agentValue')];
  const leaves = has('metadata') ? asMoney(leavesOf([], covered.metadata), covered.metadata) : [];
  const known = leaves.filter(({ label }) => label !== null);
  rows.unshift(...known.sort((a, b) => rankOf(a.names) - rankOf(b.names)));
  /** The members that the caller named; `rows` are all others, what matters most first. */
  const metadata = leaves.filter(({ label }) => label === null);
  const all = [before, after, ...rows, ...metadata].filter((row) => row !== null);
  /** The folded parts, all of which the reviewer opens before approving. */
  const folds: string[] = all.filter(({ text }) => isLong(text)).map(({ id }) => id);
  if (metadata.length > METADATA_ROWS_MAX) folds.push(METADATA_FOLD);
  const absent = DIGEST_MEMBERS.filter((member) => !has(member));
  return { before, after, rows, metadata, absent, folds };
}

/** Every digest member but the two values and `metadata`, in reading order. */
const ORDER = [
  'system',
  'objectType',
  'objectRef',
  'field',
  'operation',
  'authoritySource',
  'authorityFound',
  'workflowId',
] as const satisfies readonly (typeof DIGEST_MEMBERS)[number][];

/** Every covered member but the new value. */
export function membersOf({ before, rows, metadata }: ShownWrite): readonly CoveredRow[] {
  return [...(before === null ? [] : [before]), ...rows, ...metadata];
}

/** INVARIANT: a member is shared only if every write has it with the same text. */
export function sharedMembers(writes: readonly CoveredWrite[]): readonly CoveredRow[] {
  const [first, ...rest] = writes.map(membersOf);
  return (first ?? []).filter(
    (row) =>
      !isLong(row.text) &&
      rest.every((members) => members.some(({ id, text }) => id === row.id && text === row.text)),
  );
}

export function isLong(text: string): boolean {
  return text.length > TEXT_CHARACTERS_MAX;
}

function rowOf(names: readonly string[], text: string): CoveredRow {
  return { id: JSON.stringify(names), names, label: labelOf(names), text };
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Leaves are shown as JSON, so that the text "5" differs from the number 5; a text that cannot be mistaken, as it is. */
function leavesOf(names: readonly string[], value: unknown): readonly CoveredRow[] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) {
    const path = ['metadata', ...names];
    const isWords = typeof value === 'string' && /\p{L}/u.test(value) && !/^(true|false|null)$/.test(value);
    return [rowOf(path, isWords && labelOf(path) !== null ? value : JSON.stringify(value))];
  }
  return entries.flatMap(([name, inner]) => leavesOf([...names, name], inner));
}

/** Amount and currency become one row. Every digit stays, and only a plain currency code is taken. */
function asMoney(leaves: readonly CoveredRow[], metadata: unknown): readonly CoveredRow[] {
  const { amount, currency } = contextOf({ metadata });
  if (typeof amount !== 'number') return leaves;
  const code = typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) ? currency : null;
  const [both, left] = [
    rowOf(['metadata', 'context', 'amount'], ''),
    rowOf(['metadata', 'context', 'currency'], ''),
  ];
  return leaves
    .filter(({ id }) => id !== left.id || code === null)
    .map((row) => (row.id === both.id ? { ...row, text: inWords({ amount, currency: code }) } : row));
}
