/** Evaluates one required control over all evidence items with its id. */
import {
  type AttestationChecks,
  type AuthorityState,
  CONTROL_CODES,
  type ControlEvaluation,
  type ControlStatus,
  canonicalJson,
  type Decision,
  type EvidenceItem,
  NO_ATTESTATION,
  parseInstant,
} from '@writecheck/contract';
import type { Control } from './policy/snapshot.ts';
import { type CheckedItem, FUTURE_TOLERANCE_MS, type Purpose, whyUntrusted } from './why-untrusted.ts';

/**
 * The statuses an item can have, in order of rank: a negative result counts before any PASS, a good item before any
 * miss, a nearer miss before a farther one. The control's status is the first that is found.
 */
const RANKED: readonly ControlStatus[] = [
  'revoked',
  'failed',
  'unrecognized',
  'satisfied',
  'stale',
  'expired',
  'untrusted',
  'missing',
];
const REVOKED = 0;
const FAILED = 1;
const UNRECOGNIZED = 2;
const SATISFIED = 3;
const STALE = 4;
const EXPIRED = 5;
const UNTRUSTED = 6;
const MISSING = 7;

const AUTHORITY_STATE: { readonly [status in ControlStatus]: AuthorityState } = {
  satisfied: 'valid',
  stale: 'stale',
  expired: 'expired',
  revoked: 'revoked',
  missing: 'unknown',
  failed: 'unknown',
  untrusted: 'unknown',
  unrecognized: 'unknown',
};

export interface EvaluatedControl {
  readonly control: Control;
  readonly evaluation: ControlEvaluation;
  /** The item that is shown, with the result of its verification; null if there is none. */
  readonly item: EvidenceItem | null;
  readonly facts: AttestationChecks;
  /**
   * When a satisfied control stops being satisfied; null if neither age nor expiry ends it, or if it is not
   * satisfied.
   */
  readonly goodUntilMs: number | null;
  /** Why the shown item is untrusted; null if it is trusted. */
  readonly distrust: string | null;
}

/** The evidence that a control is evaluated over. */
export interface Evidence {
  readonly items: readonly EvidenceItem[];
  /** The results of verification, by the place of the item; shorter than the items if nothing was verified. */
  readonly facts: readonly AttestationChecks[];
  readonly nowMs: number;
}

export function evaluateControl(
  control: Control,
  evidence: Evidence,
  purpose: Purpose = 'control',
): EvaluatedControl {
  const { items, nowMs } = evidence;
  let rank = MISSING;
  let shown: CheckedItem | null = null;
  for (let index = 0; index < items.length; index += 1) {
    if (items[index]!.controlId !== control.id) continue;
    const checked = checkedItem(evidence, index);
    const itemRank = rankOf(control, checked, nowMs, purpose);
    if (shown === null || itemRank < rank || (itemRank === rank && isShownBefore(checked, shown))) {
      rank = itemRank;
      shown = checked;
    }
  }
  return {
    control,
    evaluation: describe(control, rank, shown, nowMs),
    item: shown?.item ?? null,
    facts: shown?.facts ?? NO_ATTESTATION,
    goodUntilMs: shown !== null && rank === SATISFIED ? goodUntil(control, shown) : null,
    distrust: shown !== null && rank === UNTRUSTED ? whyUntrusted(control, shown, nowMs, purpose) : null,
  };
}

/** The places of the items that satisfy the control, the shown one first. */
export function goodItems(control: Control, evidence: Evidence, purpose: Purpose): readonly number[] {
  const good: { readonly index: number; readonly checked: CheckedItem }[] = [];
  for (const [index, { controlId }] of evidence.items.entries()) {
    if (controlId !== control.id) continue;
    const checked = checkedItem(evidence, index);
    if (rankOf(control, checked, evidence.nowMs, purpose) === SATISFIED) good.push({ index, checked });
  }
  return good.sort((a, b) => (isShownBefore(a.checked, b.checked) ? -1 : 1)).map(({ index }) => index);
}

/** The same control, no longer satisfied. */
export function distrusted(evaluated: EvaluatedControl, distrust: string): EvaluatedControl {
  const { control, evaluation } = evaluated;
  return {
    ...evaluated,
    evaluation: {
      ...evaluation,
      status: 'untrusted',
      code: CONTROL_CODES.untrusted,
      effect: effectOf(control, UNTRUSTED),
      authorityState: AUTHORITY_STATE.untrusted,
    },
    goodUntilMs: null,
    distrust,
  };
}

function checkedItem({ items, facts: all }: Evidence, index: number): CheckedItem {
  const item = items[index]!;
  // Reading beyond a list's end is slow.
  const facts = index < all.length ? all[index] : undefined;
  return { item, facts, checkedAtMs: checkedAt(item, facts) };
}

/** Whether a person may still satisfy it: no approval outvotes a negative result. */
export function awaitsPerson({ control, evaluation: { status } }: EvaluatedControl): boolean {
  if (control.review === null) return false;
  return status === 'missing' || status === 'stale' || status === 'expired' || status === 'untrusted';
}

export function isSatisfied({ evaluation }: EvaluatedControl): boolean {
  return evaluation.status === 'satisfied';
}

function rankOf(control: Control, checked: CheckedItem, nowMs: number, purpose: Purpose): number {
  const { item, facts, checkedAtMs } = checked;
  if (item.result === 'REVOKED' || (facts?.kind === 'verified' && facts.revoked)) return REVOKED;
  if (item.result === 'FAIL') return FAILED;
  if (item.result !== 'PASS') return UNRECOGNIZED;
  if (whyUntrusted(control, checked, nowMs, purpose) !== null) return UNTRUSTED;
  if (isExpired(checked, nowMs)) return EXPIRED;
  if (control.maxAgeMs !== null && (checkedAtMs === null || nowMs - checkedAtMs > control.maxAgeMs))
    return STALE;
  return SATISFIED;
}

function checkedAt(item: EvidenceItem, facts: AttestationChecks | undefined): number | null {
  if (facts?.kind === 'verified') return facts.checkedAtMs;
  if (item.checkedAt === undefined) return null;
  const instant = parseInstant(item.checkedAt);
  return instant?.hasOffset ? instant.ms : null;
}

/** Null if it never ends; an expiry that cannot be placed in time counts as past. */
function expiry(item: EvidenceItem): number | null {
  if (item.expiresAt === undefined) return null;
  const instant = parseInstant(item.expiresAt);
  return instant?.hasOffset ? instant.ms : Number.NEGATIVE_INFINITY;
}

function isExpired({ item, facts }: CheckedItem, nowMs: number): boolean {
  const expiresAtMs = expiry(item);
  if (expiresAtMs !== null && expiresAtMs <= nowMs) return true;
  return facts?.kind === 'verified' && facts.expiresAtMs !== null && facts.expiresAtMs <= nowMs;
}

/**
 * The latest check first; then by source, then by the item's canonical form: the order in which items are sent
 * changes nothing.
 */
function isShownBefore(
  { item: a, checkedAtMs: aMs }: CheckedItem,
  { item: b, checkedAtMs: bMs }: CheckedItem,
): boolean {
  if (aMs !== bMs) return bMs === null || (aMs !== null && aMs > bMs);
  if (a.source !== b.source) return a.source < b.source;
  return canonicalJson({ ...a }) < canonicalJson({ ...b });
}

function goodUntil(control: Control, { item, facts, checkedAtMs }: CheckedItem): number | null {
  let untilMs = expiry(item) ?? Number.POSITIVE_INFINITY;
  if (control.maxAgeMs !== null && checkedAtMs !== null)
    untilMs = Math.min(untilMs, checkedAtMs + control.maxAgeMs);
  if (facts?.kind === 'verified' && facts.expiresAtMs !== null)
    untilMs = Math.min(untilMs, facts.expiresAtMs);
  return untilMs === Number.POSITIVE_INFINITY ? null : untilMs;
}

/** JSON leaves the undefined members out. */
function describe(
  control: Control,
  rank: number,
  shown: CheckedItem | null,
  nowMs: number,
): ControlEvaluation {
  const status = RANKED[rank]!;
  const { item, checkedAtMs } = shown ?? { item: null, checkedAtMs: null };
  return {
    controlId: control.id,
    present: item !== null,
    result: item?.result,
    source: item?.source,
    checkedAt: item?.checkedAt ?? (checkedAtMs === null ? undefined : new Date(checkedAtMs).toISOString()),
    evidenceRef: item?.evidenceRef,
    fresh:
      control.maxAgeMs === null && checkedAtMs === null ? undefined : isFresh(control, checkedAtMs, nowMs),
    status,
    code: CONTROL_CODES[status],
    effect: effectOf(control, rank),
    authorityState: AUTHORITY_STATE[status],
  };
}

function isFresh(control: Control, checkedAtMs: number | null, nowMs: number): boolean {
  if (checkedAtMs === null || checkedAtMs - nowMs > FUTURE_TOLERANCE_MS) return false;
  return control.maxAgeMs === null || nowMs - checkedAtMs <= control.maxAgeMs;
}

/** INVARIANT: only a satisfied control allows. */
function effectOf(control: Control, rank: number): Decision {
  switch (rank) {
    case SATISFIED:
      return 'allow';
    case REVOKED:
      return 'block';
    case FAILED:
      return control.onFailed;
    default:
      return control.onUnmet;
  }
}
