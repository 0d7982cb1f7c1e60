/** The log entries that are not decisions. */
import { isoTime } from '@writecheck/contract';
import {
  type LimitCorrectedEntry,
  type NotedEntry,
  notedEntryBytes,
  outcomeEntryText,
  personEntryBytes,
  redemptionText,
  reviewEntryBytes,
} from '@writecheck/ledger/log';
import type { Erasure, ErasurePart } from '../port/erasures.ts';
import type { StoredFreeze } from '../port/freezes.ts';
import type { Correction } from '../port/limits.ts';
import type { NewOutcome } from '../port/outcomes.ts';
import type { PersonChange } from '../port/people.ts';
import type { Redemption } from '../port/redemptions.ts';
import type { ReviewChange } from '../port/reviews.ts';
import { textDigest } from '../sha256.ts';
import type { NewEntry } from './segment-builder.ts';

type Redeemed = Pick<Redemption, 'decisionId' | 'workspace' | 'keyId' | 'keyKind' | 'intentDigest' | 'atMs'>;

export function redemptionLeaf(log: string, redemption: Redeemed): string {
  const { decisionId, workspace, keyId, keyKind, intentDigest, atMs } = redemption;
  return redemptionText({
    kind: 'redemption',
    log,
    decision_id: decisionId,
    workspace,
    keyId,
    keyKind,
    intentDigest,
    timestamp: isoTime(atMs),
  });
}

export function redemptionEntry(log: string, redemption: Redeemed): NewEntry {
  return { leaf: Buffer.from(redemptionLeaf(log, redemption)), atMs: redemption.atMs };
}

export function reviewEntries(log: string, changes: readonly ReviewChange[]): readonly NewEntry[] {
  return changes
    .flatMap(({ entries }) => entries)
    .map((entry) => ({ leaf: reviewEntryBytes({ ...entry, log }), atMs: Date.parse(entry.timestamp) }));
}

export function personEntries(log: string, { entries }: PersonChange): readonly NewEntry[] {
  return entries.map((entry) => ({
    leaf: personEntryBytes({ ...entry, log }),
    atMs: Date.parse(entry.timestamp),
  }));
}

export function freezeCreatedEntry(log: string, freeze: StoredFreeze): NewEntry {
  const { workspace, id, number, scope, reason, createdAtMs, createdBy, untilMs } = freeze;
  const entry = {
    kind: 'freeze.created' as const,
    workspace,
    timestamp: isoTime(createdAtMs),
    by: createdBy,
    freeze: id,
    number,
    scope,
    until: untilMs === null ? null : isoTime(untilMs),
    reasonDigest: textDigest(reason),
  };
  return { leaf: notedEntryBytes(entry, log), record: textsRecord({ reason }), atMs: createdAtMs };
}

/** `number` is the number of the lift. */
export function freezeLiftedEntry(log: string, freeze: StoredFreeze, number: number): NewEntry {
  const { workspace, id, liftedBy, liftReason, liftedAtMs } = freeze;
  const reason = liftReason ?? '';
  const atMs = liftedAtMs!;
  const entry = {
    kind: 'freeze.lifted' as const,
    workspace,
    timestamp: isoTime(atMs),
    by: liftedBy,
    freeze: id,
    number,
    reasonDigest: textDigest(reason),
  };
  return { leaf: notedEntryBytes(entry, log), record: textsRecord({ reason }), atMs };
}

/** An outcome's leaf, and the record with its texts. */
export function outcomeTexts(
  log: string,
  outcome: NewOutcome,
): { readonly leaf: string; readonly record: string } {
  const { workspace, decisionId, result, atMs, recordedAtMs, by, note, ref } = outcome;
  const entry = {
    kind: 'decision.outcome' as const,
    workspace,
    timestamp: isoTime(recordedAtMs),
    by,
    decision_id: decisionId,
    result,
    at: isoTime(atMs),
    noteDigest: note === null ? null : textDigest(note),
    refDigest: ref === null ? null : textDigest(ref),
  };
  const texts = { ...(note === null ? {} : { note }), ...(ref === null ? {} : { ref }) };
  return { leaf: outcomeEntryText(entry, log), record: JSON.stringify(texts) };
}

export function outcomeEntry(log: string, outcome: NewOutcome): Required<NewEntry> {
  const { leaf, record } = outcomeTexts(log, outcome);
  return { leaf: Buffer.from(leaf), record: Buffer.from(record), atMs: outcome.recordedAtMs };
}

/** `steps` says where in the window it was taken from. */
export function limitCorrectedEntry(
  log: string,
  { workspace, limitId, keyKind, counter, groupDigest, amount, reason, atMs, by }: Correction,
  steps: LimitCorrectedEntry['steps'],
): NewEntry {
  const entry: LimitCorrectedEntry = {
    kind: 'limit.corrected',
    workspace,
    timestamp: isoTime(atMs),
    by,
    limit: limitId,
    keyKind,
    counter,
    group: groupDigest,
    amount,
    steps,
    reasonDigest: textDigest(reason),
  };
  return { leaf: notedEntryBytes(entry, log), record: textsRecord({ reason }), atMs };
}

export function erasureEntries(
  log: string,
  { id, by, reason, atMs }: Erasure,
  { workspace, chosenBy, beforeMs, decisions, reviews, decisionCount, entryCount }: ErasurePart,
): readonly NewEntry[] {
  const before = beforeMs === null ? null : isoTime(beforeMs);
  const named = { chosenBy, before, decisions, reviews, decisionCount, entryCount };
  const entry = {
    kind: 'records.erased',
    workspace,
    timestamp: isoTime(atMs),
    by,
    erasure: id,
    reason,
  } as const;
  return [{ leaf: notedEntryBytes({ ...entry, ...named }, log), atMs }];
}

/** Texts whose digests the entry holds; a prune can empty them. */
function textsRecord(texts: { readonly [member: string]: string }): Uint8Array {
  return Buffer.from(JSON.stringify(texts));
}

/** Entries for changes to how decisions are made. */
export function notedEntries(log: string, entries: readonly NotedEntry[]): readonly NewEntry[] {
  return entries.map((entry) => ({ leaf: notedEntryBytes(entry, log), atMs: Date.parse(entry.timestamp) }));
}
