/** Decides one record of the log again under two bundles, or says why that cannot be done. */
import {
  type Decision,
  type EngineDecision,
  parseIntent,
  REVIEW_DESK,
  type WriteIntent,
} from '@writecheck/contract';
import {
  type AttestationChecks,
  controlsLookedAt,
  ENGINE_VERSION,
  type Outcome,
  outcomeOf,
} from '@writecheck/engine';
import type { Leaf } from '@writecheck/ledger/log';
import { recordParts } from './record-parts.ts';
import type { ReplayBundle } from './replay-bundle.ts';
import { NO_LIMITS, type ReadSides } from './replay-counters.ts';
import type { NotReplayed } from './report.ts';

/** The members of one side of a comparison that a report counts. */
export interface Side {
  readonly decision: Decision;
  readonly evaluatedDecision: Decision;
  readonly reasonCode: string;
  readonly profileId: string | null;
}

export interface ReplayBundles {
  readonly candidate: ReplayBundle;
  /** Null if the recorded decision itself is the other side. */
  readonly baseline: ReplayBundle | null;
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
  /** Null unless the recorded decision is the other side. */
  readonly recorded: Side | null;
}

export type Replay =
  | { readonly kind: 'replayed'; readonly before: Side; readonly after: Outcome }
  /** `after` is what would be decided if what is not known did not matter: only what applies can be trusted. */
  | {
      readonly kind: 'not_replayed';
      readonly because: Exclude<NotReplayed, 'pruned' | 'version' | 'frozen'>;
      readonly after: Outcome;
    };

/**
 * Null if a newer version wrote the record, or one whose parser accepted what ours refuses: its meaning is
 * unknown here.
 */
export function readForReplay(
  record: Buffer,
  { timestamp, policyRef }: Pick<Leaf, 'timestamp' | 'policyRef'>,
  withDecision: boolean,
): ReadableRecord | null {
  const parts = recordParts(record);
  if (parts === null || Number(parts.engine) > Number(ENGINE_VERSION)) return null;
  const parsed = parseIntent(parts.intent);
  if (parsed.kind === 'refused') return null;
  return {
    atMs: Date.parse(timestamp),
    policyRef,
    engine: parts.engine,
    facts: parts.facts,
    intent: parsed.intent,
    recorded: withDecision ? sideOf(parts.decision()) : null,
  };
}

/** `counters` says what is drawn from the limits of each bundle. */
export function replayRecord(
  record: ReadableRecord,
  bundles: ReplayBundles,
  counters: ReadSides = NO_LIMITS,
): Replay {
  const { intent, facts, atMs } = record;
  const { candidate, baseline } = bundles;
  const after = outcomeOf(intent, facts, candidate.snapshot, atMs, counters.candidate.circumstances);
  const before =
    baseline === null
      ? null
      : outcomeOf(intent, facts, baseline.snapshot, atMs, counters.baseline.circumstances);
  const readsFacts = after.readsFacts.length > 0 || (before?.readsFacts.length ?? 0) > 0;
  if (readsFacts || intent.controlEvidence?.some(isLookedUp)) {
    const recorded = bundles.recorded(record.policyRef, record.engine);
    const sides = [{ bundle: candidate, outcome: after }];
    if (baseline !== null && before !== null) sides.push({ bundle: baseline, outcome: before });
    const because = whyUnknown(intent, facts, sides, recorded);
    if (because !== null) return { kind: 'not_replayed', because, after };
  }
  return { kind: 'replayed', before: before ?? record.recorded!, after };
}

function sideOf(decision: EngineDecision): Side {
  return {
    decision: decision.decision,
    evaluatedDecision: decision.evaluatedDecision,
    reasonCode: decision.reasonCode,
    profileId: decision.profileProvenance.profileId ?? null,
  };
}

type Items = NonNullable<WriteIntent['controlEvidence']>;

/** Only such an item has facts; any other would be verified the same way now. */
function isLookedUp({ attestation, source }: Items[number]): boolean {
  return attestation !== undefined || source === REVIEW_DESK;
}

interface SideOf {
  readonly bundle: ReplayBundle;
  readonly outcome: Outcome;
}

const IN_ORDER = ['signature', 'use', 'review', 'facts'] as const;

/**
 * INVARIANT: an outcome is counted only if verifying the evidence today would give the recorded facts. Anything
 * unknown about a bundle that is gone counts as different.
 */
function whyUnknown(
  intent: WriteIntent,
  facts: readonly AttestationChecks[],
  sides: readonly SideOf[],
  recorded: ReplayBundle | null,
): (typeof IN_ORDER)[number] | null {
  const found = new Set<(typeof IN_ORDER)[number]>();
  for (const { bundle, outcome } of sides) {
    const controls = controlsLookedAt(outcome);
    if (outcome.readsFacts.some(({ id }) => !holdsFacts(id, intent, facts, recorded))) found.add('facts');
    for (const [index, item] of (intent.controlEvidence ?? []).entries()) {
      const control = controls.find(({ id }) => id === item.controlId);
      if (control === undefined || !isLookedUp(item)) continue;
      const then = recorded?.snapshot.controlOf(control.id) ?? null;
      if (item.source === REVIEW_DESK) {
        const isSameRule = then !== null && then.review?.canonical === control.review?.canonical;
        if (!isSameRule) found.add('review');
        continue;
      }
      const fact = facts[index];
      const wasLookedAt = fact !== undefined && fact.kind !== 'none';
      const isSameSource =
        recorded !== null && recorded.evidenceSource(item.source) === bundle.evidenceSource(item.source);
      if (!wasLookedAt || !isSameSource) found.add('signature');
      else if (fact.kind === 'verified' && control.useOnce && then?.useOnce !== true) found.add('use');
    }
  }
  return IN_ORDER.find((reason) => found.has(reason)) ?? null;
}

/** Whether the record has facts of the control, or was decided by a condition that named it and found none. */
function holdsFacts(
  controlId: string,
  intent: WriteIntent,
  facts: readonly AttestationChecks[],
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
