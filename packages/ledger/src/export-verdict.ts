/** The verdict on an export, for programs and as text. */
import { encodeBase64, shortened } from '@writecheck/contract';
import type { Checkpoint, CheckpointRefusal } from './checkpoint.ts';
import { ENTRY_KINDS, type EntryKind } from './entry.ts';
import type { ReplayFault } from './log-replay.ts';
import { isNotedKind } from './noted-entry.ts';
import type { SigningPasskey } from './signed-verdicts.ts';

export type ExportFaultCode =
  | ReplayFault['code']
  | CheckpointRefusal
  | 'invalid_argument'
  | 'malformed_line'
  | 'unexpected_line'
  | 'other_workspace'
  | 'unknown_log'
  | 'malformed_leaf'
  | 'log_mismatch'
  | 'record_missing'
  | 'record_unexpected'
  | 'record_mismatch'
  | 'bundle_missing'
  | 'bundle_mismatch'
  | 'bad_continuation'
  | 'untrusted_start'
  | 'redeemed_twice'
  | 'review_order'
  | 'assertion_invalid';

export interface ExportFault {
  readonly code: ExportFaultCode;
  readonly message: string;
  /** Counts from 1; 0 if the error comes before the first line. */
  readonly line: number;
  readonly log?: string;
  readonly index?: number;
  /** If known entries are missing: the log that continues from there on record. */
  readonly continuedBy?: string;
}

export const OTHER_KINDS_MAX = 8;

export interface ExportCounts {
  readonly decisions: number;
  readonly redemptions: number;
  readonly continuations: number;
  /** What happened to reviews. */
  readonly reviewEntries: number;
  /** Events of people. */
  readonly personEntries: number;
  /** Entries of kinds this version does not know. */
  readonly otherEntries: number;
  /** The names of such kinds, at most `OTHER_KINDS_MAX` of them. */
  readonly otherKinds: readonly string[];
  /** How many entries of each known kind are shown; a kind without entries is left out. */
  readonly kinds: { readonly [kind in EntryKind]?: number };
  /** Entries shown by their hash alone. */
  readonly hashes: number;
  readonly bundles: number;
  readonly lines: number;
}

/** Entries that a checkpoint known beforehand covers and the log lacks, although its continuation is on record. */
export interface Loss {
  readonly log: string;
  /** How many entries were known. */
  readonly known: number;
  /** How many there are. */
  readonly size: number;
  /** The log that continues it. */
  readonly by: string;
}

/** What an export that begins at trusted checkpoints leaves out; all 0 for a whole one. */
export interface Unread {
  /** Entries before the trusted checkpoints. */
  readonly entries: number;
  /** Verdicts whose passkeys were registered before them, so that their signatures could not be checked. */
  readonly verdicts: number;
  /** Checkpoints known beforehand that are older than those, so that they could not be compared. */
  readonly checkpoints: number;
}

export type ExportVerdict =
  | {
      readonly ok: true;
      readonly words: string;
      readonly workspace: string;
      readonly logs: readonly { readonly log: string; readonly size: number; readonly root: string }[];
      readonly counts: ExportCounts;
      /** The passkeys that signed the verdicts shown; every signature was checked. */
      readonly passkeys: readonly SigningPasskey[];
      /** What is known to be missing before continuations that the caller accepts. */
      readonly losses: readonly Loss[];
      readonly unread: Unread;
    }
  | { readonly ok: false; readonly words: string; readonly fault: ExportFault };

function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** A hash does not show whose entry it was, so neither does the verdict. */
function hashesInWords(hashes: number, { entries }: Unread): string {
  if (hashes === 0 && entries > 0) return 'of those, no entry is shown only by its hash';
  return hashes === 0
    ? 'no entry is shown only by its hash, so the workspace has no others'
    : `${count(hashes, 'entry is', 'entries are')} shown only by hash: of other workspaces, pruned, or filtered out`;
}

function shownInWords(counts: ExportCounts): string {
  const { decisions, redemptions, reviewEntries, personEntries, otherEntries, otherKinds, kinds } = counts;
  const parts = [
    count(decisions, 'decision with its record', 'decisions with their records'),
    count(redemptions, 'redemption', 'redemptions'),
  ];
  if (reviewEntries > 0) parts.push(count(reviewEntries, 'review entry', 'review entries'));
  if (personEntries > 0) parts.push(count(personEntries, 'person entry', 'person entries'));
  for (const kind of ENTRY_KINDS) {
    if (isNotedKind(kind) && kinds[kind] !== undefined) parts.push(`${kinds[kind]} \`${kind}\``);
  }
  if (otherEntries > 0) {
    const names = otherKinds.map((name) => `\`${shortened(name)}\``).join(', ');
    parts.push(`${count(otherEntries, 'entry', 'entries')} of a kind this version does not know (${names})`);
  }
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

function signedInWords(passkeys: readonly SigningPasskey[]): string {
  const verdicts = passkeys.reduce((sum, each) => sum + each.verdicts, 0);
  if (verdicts === 0) return '';
  const signed = verdicts === 1 ? 'verdict was signed' : 'verdicts were signed';
  return `; ${verdicts} ${signed} by ${count(passkeys.length, 'passkey', 'passkeys')}, and every signature is valid`;
}

export function verified(
  workspace: string,
  checkpoints: readonly Checkpoint[],
  counts: ExportCounts,
  passkeys: readonly SigningPasskey[],
  losses: readonly Loss[],
  unread: Unread,
): ExportVerdict {
  const total = checkpoints.reduce((sum, { size }) => sum + size, 0) - unread.entries;
  const since = unread.entries === 0 ? '' : ' after the trusted checkpoints';
  const words =
    `verified: ${count(total, 'entry', 'entries')}${since} in ${count(checkpoints.length, 'log', 'logs')}, ` +
    `each in its place and unchanged up to the signed checkpoints; from workspace \`${workspace}\`: ` +
    `${shownInWords(counts)}; ${hashesInWords(counts.hashes, unread)}`;
  const logs = checkpoints.map(({ log, size, root }) => ({ log, size, root: encodeBase64(root) }));
  return {
    ok: true,
    words: words + signedInWords(passkeys),
    workspace,
    logs,
    counts,
    passkeys,
    losses,
    unread,
  };
}

export function faulty(fault: ExportFault): ExportVerdict {
  const place = [
    ...(fault.line > 0 ? [`line ${fault.line}`] : []),
    ...(fault.log === undefined ? [] : [`log \`${fault.log}\``]),
    ...(fault.index === undefined ? [] : [`entry ${fault.index}`]),
  ].join(', ');
  return { ok: false, words: `not verified: ${place === '' ? '' : `${place}: `}${fault.message}`, fault };
}
