/** The entries that are not decisions: redemptions, events of reviews and people, changes and impact runs. */
import {
  type NotedEntry,
  notedEntryBytes,
  personEntryBytes,
  redemptionBytes,
  reviewEntryBytes,
} from '@writecheck/ledger';
import type { PersonChange } from '../port/people.ts';
import type { ReviewChange } from '../port/reviews.ts';
import type { Redemption } from '../port.ts';
import type { NewEntry } from './segment-builder.ts';

export function redemptionEntry(log: string, redemption: Redemption): NewEntry {
  const { decisionId, workspace, keyId, keyKind, intentDigest, atMs } = redemption;
  const leaf = redemptionBytes({
    kind: 'redemption',
    log,
    decision_id: decisionId,
    workspace,
    keyId,
    keyKind,
    intentDigest,
    timestamp: new Date(atMs).toISOString(),
  });
  return { leaf, atMs };
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

/** Changes of how decisions are made, impact runs and assessments. */
export function notedEntries(log: string, entries: readonly NotedEntry[]): readonly NewEntry[] {
  return entries.map((entry) => ({ leaf: notedEntryBytes(entry, log), atMs: Date.parse(entry.timestamp) }));
}
