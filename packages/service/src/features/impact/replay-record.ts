/** Decides one record of the log again under two bundles, or says why that cannot be done. */
import { parseIntent, REVIEW_DESK, type WriteIntent } from '@writecheck/contract';
import { type AttestationChecks, ENGINE_VERSION, type Outcome, outcomeOf } from '@writecheck/engine';
import type { Leaf } from '@writecheck/ledger/log';
import { recordParts } from './record-parts.ts';
import type { ReplayBundle } from './replay-bundle.ts';
import { NO_LIMITS, type ReadSides } from './replay-counters.ts';

export interface ReplayBundles {
  readonly candidate: ReplayBundle;
  readonly running: ReplayBundle;
  /** The bundle that decided then; null if the store no longer has it. */
  readonly recorded: (policyRef: string | null, engine: string) => ReplayBundle | null;
}

/** A decision as its leaf and its record describe it. */
export interface ReadableRecord {
  readonly atMs: number;
  readonly policyRef: string | null;
  readonly engine: string;
  readonly facts: readonly AttestationChecks[];
  readonly intent: WriteIntent;
}

export type Replay =
  | { readonly kind: 'replayed'; readonly before: Outcome; readonly after: Outcome }
  | { readonly kind: 'not_replayed'; readonly because: Unknown };

/** What is missing in a record, which a report never guesses. */
type Unknown = 'evidence' | 'facts';

/**
 * Null if a newer version wrote the record, or one whose parser accepted what ours refuses: its meaning is
 * unknown here.
 */
export function readForReplay(
  record: Buffer,
  { timestamp, policyRef }: Pick<Leaf, 'timestamp' | 'policyRef'>,
): ReadableRecord | null {
  const parts = recordParts(record);
  if (parts === null || Number(parts.engine) > Number(ENGINE_VERSION)) return null;
  const parsed = parseIntent(parts.intent);
  if (parsed.kind === 'refused') return null;
  const { engine, facts } = parts;
  return { atMs: Date.parse(timestamp), policyRef, engine, facts, intent: parsed.intent };
}

/** `counters` says what is drawn from the limits of each bundle. */
export function replayRecord(
  record: ReadableRecord,
  { candidate, running, recorded }: ReplayBundles,
  counters: ReadSides = NO_LIMITS,
): Replay {
  const { intent, facts, atMs } = record;
  const before = outcomeOf(intent, facts, running.snapshot, atMs, counters.running.circumstances);
  const after = outcomeOf(intent, facts, candidate.snapshot, atMs, counters.candidate.circumstances);
  const readsFacts = before.readsFacts.length + after.readsFacts.length > 0;
  if (readsFacts || intent.controlEvidence?.some(isLookedUp)) {
    const then = recorded(record.policyRef, record.engine);
    const because = whyUnknown(record, candidate, after, then) ?? whyUnknown(record, running, before, then);
    if (because !== null) return { kind: 'not_replayed', because };
  }
  return { kind: 'replayed', before, after };
}

type Items = NonNullable<WriteIntent['controlEvidence']>;

/** Only such an item has facts; any other would be verified the same way now. */
function isLookedUp({ attestation, source }: Items[number]): boolean {
  return attestation !== undefined || source === REVIEW_DESK;
}

/**
 * INVARIANT: an outcome is counted only if verifying the evidence today would give the recorded facts. Anything
 * unknown about a bundle that is gone counts as different.
 */
function whyUnknown(
  record: ReadableRecord,
  bundle: ReplayBundle,
  outcome: Outcome,
  recorded: ReplayBundle | null,
): Unknown | null {
  const { intent, facts } = record;
  for (const [index, item] of (intent.controlEvidence ?? []).entries()) {
    const control = outcome.controls.find(({ id }) => id === item.controlId);
    if (control === undefined || !isLookedUp(item)) continue;
    const then = recorded?.snapshot.controlOf(control.id) ?? null;
    if (item.source === REVIEW_DESK) {
      // A person approved under another rule.
      if (then === null || then.review?.canonical !== control.review?.canonical) return 'evidence';
      continue;
    }
    const fact = facts[index];
    const wasLookedAt = fact !== undefined && fact.kind !== 'none';
    const isSameSource =
      recorded !== null && recorded.evidenceSource(item.source) === bundle.evidenceSource(item.source);
    if (!wasLookedAt || !isSameSource) return 'evidence';
    // Nobody looked then whether it was used up.
    if (fact.kind === 'verified' && control.useOnce && then?.useOnce !== true) return 'evidence';
  }
  return outcome.readsFacts.every(({ id }) => holdsFacts(id, record, recorded)) ? null : 'facts';
}

/** Whether the record has facts of the control, or was decided by a condition that named it and found none. */
function holdsFacts(
  controlId: string,
  { intent, facts }: ReadableRecord,
  recorded: ReplayBundle | null,
): boolean {
  const isSent = (intent.controlEvidence ?? []).some((item, index) => {
    const fact = facts[index];
    return item.controlId === controlId && fact?.kind === 'verified' && fact.facts !== undefined;
  });
  if (isSent || recorded === null) return isSent;
  const { snapshot } = recorded;
  const rules = [
    ...snapshot.matchingProfiles(intent),
    ...snapshot.limits.filter(({ matches }) => matches(intent)),
  ];
  return rules.some(({ readsFacts }) => readsFacts.some(({ id }) => id === controlId));
}
