/** The members of a write that its digest covers, as the page shows them. */
import { DIGEST_MEMBERS, type DigestInput, intentDigest } from '@writecheck/contract';

/** One value to show: a member, or a leaf of `metadata`. */
export interface CoveredRow {
  readonly id: string;
  /** The names that lead to it, outermost first. */
  readonly names: readonly string[];
  readonly text: string;
}

export interface CoveredWrite {
  readonly digest: string;
  /** The value in the authority. */
  readonly before: CoveredRow | null;
  /** The value the agent proposes. */
  readonly after: CoveredRow | null;
  /** Everything else, without `metadata`. */
  readonly rows: readonly CoveredRow[];
  readonly metadata: readonly CoveredRow[];
  readonly absent: readonly string[];
  /** The folded parts, all of which the reviewer opens before approving. */
  readonly folds: readonly string[];
}

/** Longer texts are folded. */
export const TEXT_CHARACTERS_MAX = 400;
/** Further rows of metadata are folded. */
export const METADATA_ROWS_MAX = 20;
export const METADATA_FOLD = 'metadata rows';

/** INVARIANT: digest and rows come from the same values, so that a reviewer approves exactly what is shown. */
export function coveredWrite(intent: { readonly [member: string]: unknown }): CoveredWrite {
  const covered: { -readonly [member in keyof DigestInput]: unknown } = {};
  for (const member of DIGEST_MEMBERS)
    if (Object.hasOwn(intent, member) && intent[member] !== null) covered[member] = intent[member];
  const has = (member: string) => Object.hasOwn(covered, member);
  const rows: CoveredRow[] = [];
  for (const member of ORDER) if (has(member)) rows.push(rowOf([member], textOf(covered[member])));
  const valueIn = (member: 'agentValue' | 'authorityValue') =>
    has(member) ? rowOf([member], textOf(covered[member])) : null;
  const [before, after] = [valueIn('authorityValue'), valueIn('agentValue')];
  const metadata = has('metadata') ? leavesOf([], covered.metadata) : [];
  const all = [before, after, ...rows, ...metadata].filter((row) => row !== null);
  const folds = all.filter(({ text }) => isLong(text)).map(({ id }) => id);
  if (metadata.length > METADATA_ROWS_MAX) folds.push(METADATA_FOLD);
  const absent = DIGEST_MEMBERS.filter((member) => !has(member));
  return { digest: intentDigest(covered), before, after, rows, metadata, absent, folds };
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

export function isLong(text: string): boolean {
  return text.length > TEXT_CHARACTERS_MAX;
}

function rowOf(names: readonly string[], text: string): CoveredRow {
  return { id: JSON.stringify(names), names, text };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Leaves are shown as JSON, so that the text "5" differs from the number 5. */
function leavesOf(names: readonly string[], value: unknown): readonly CoveredRow[] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return [rowOf(['metadata', ...names], JSON.stringify(value))];
  return entries.flatMap(([name, inner]) => leavesOf([...names, name], inner));
}
