/** Checks one exported entry on its own: that it belongs in its place, and that its record belongs to it. */
import { decodeBase64, isObject, parseStrictJson } from '@writecheck/contract';
import type { Entry } from './entry.ts';
import type { ExportFault } from './export-verdict.ts';
import { digestOf, type Sha256 } from './sha256.ts';

export interface EntryContext {
  readonly log: string;
  readonly index: number;
  readonly workspace: string;
  /** The checkpoint that the log continues from, according to the header. */
  readonly continues: string | undefined;
  /** Digests of the bundles before the entry. */
  readonly bundles: ReadonlySet<string>;
  readonly hash: Sha256;
}

export type EntryProblem = Pick<ExportFault, 'code' | 'message'>;

function checkRecord(entry: Entry, record: string | undefined, hash: Sha256): EntryProblem | null {
  if (entry.kind !== 'decision') {
    if (record === undefined) return null;
    if (mayHaveTexts(entry)) return checkTexts(entry, record, hash);
    const name = entry.kind === 'other' ? entry.name : entry.kind;
    return { code: 'record_unexpected', message: `a ${name} has no record` };
  }
  if (record === undefined) return { code: 'record_missing', message: 'the record is missing' };
  const bytes = decodeBase64(record);
  if (bytes !== null && digestOf(bytes, hash) === entry.leaf.recordDigest) return null;
  return { code: 'record_mismatch', message: 'the record is not the one whose digest the leaf holds' };
}

const TEXTS: readonly string[] = ['freeze.created', 'freeze.lifted', 'decision.outcome', 'limit.corrected'];

/** The texts of these are in a record that a prune may empty; the entry holds their digests. */
function mayHaveTexts({ kind }: Entry): boolean {
  return TEXTS.includes(kind);
}

function checkTexts(entry: Entry, record: string, hash: Sha256): EntryProblem | null {
  const digests = entry as unknown as { readonly [member: string]: unknown };
  const read = parseStrictJson(decodeBase64(record) ?? NO_BYTES);
  const texts = read.kind === 'malformed' ? null : read.value;
  if (isObject(texts)) {
    const isSaid = ([member, text]: readonly [string, unknown]) =>
      typeof text === 'string' &&
      digests[`${member}Digest`] === digestOf(new TextEncoder().encode(text), hash);
    if (Object.entries(texts).every(isSaid)) return null;
  }
  return { code: 'record_mismatch', message: 'the record is not the one whose digests the entry holds' };
}

const NO_BYTES = new Uint8Array(0);

function checkWorkspace(workspace: string, expected: string): EntryProblem | null {
  return workspace === expected
    ? null
    : { code: 'other_workspace', message: 'the entry belongs to another workspace' };
}

function checkBundle(policyRef: string | null, bundles: ReadonlySet<string>): EntryProblem | null {
  if (policyRef === null || bundles.has(policyRef)) return null;
  const message = `decided under bundle \`${policyRef}\`, which does not appear before it`;
  return { code: 'bundle_missing', message };
}

/** Null if nothing is wrong with it. Only the tree can tell whether it was ever in the log. */
export function checkEntry(
  entry: Entry,
  record: string | undefined,
  context: EntryContext,
): EntryProblem | null {
  const { log, index, continues, workspace, bundles } = context;
  const claimed = entry.kind === 'decision' ? entry.leaf.log : entry.log;
  if (claimed !== log) {
    return { code: 'log_mismatch', message: `the entry says it belongs to log \`${claimed}\`` };
  }
  const problem = checkRecord(entry, record, context.hash);
  if (problem !== null) return problem;
  if (index === 0 && continues !== undefined && entry.kind !== 'continuation') {
    const message = 'the header says the log continues another, its first entry does not';
    return { code: 'bad_continuation', message };
  }
  switch (entry.kind) {
    case 'decision':
      return checkWorkspace(entry.leaf.workspace, workspace) ?? checkBundle(entry.leaf.policyRef, bundles);
    case 'other':
      return entry.workspace === null ? null : checkWorkspace(entry.workspace, workspace);
    case 'continuation': {
      if (index === 0 && entry.checkpoint === continues) return null;
      const message = 'a continuation must be the first entry and name the checkpoint the header names';
      return { code: 'bad_continuation', message };
    }
    default:
      return checkWorkspace(entry.workspace, workspace);
  }
}
