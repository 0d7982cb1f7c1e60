/** The model's view of one control and the evidence with its id. */
import type { AttestationChecks, EvidenceItem, JsonObject } from '@writecheck/contract';
import type { ControlDefinition } from '../src/policy/documents.ts';
import { byText, durationMs, instant } from './naive-text.ts';

export type Effect = 'allow' | 'pause' | 'block';
export type Evidence = { readonly item: EvidenceItem; readonly facts: AttestationChecks };

const CODES = {
  satisfied: 'CONTROL_SATISFIED',
  missing: 'CONTROL_EVIDENCE_MISSING',
  failed: 'CONTROL_FAILED',
  stale: 'CONTROL_EVIDENCE_STALE',
  expired: 'CONTROL_EVIDENCE_EXPIRED',
  revoked: 'CONTROL_EVIDENCE_REVOKED',
  untrusted: 'CONTROL_EVIDENCE_UNTRUSTED',
  unrecognized: 'CONTROL_RESULT_UNRECOGNIZED',
};
export type Status = keyof typeof CODES;
const NEGATIVES = ['revoked', 'failed', 'unrecognized'] as const;
const NEAREST_FIRST = [null, 'stale', 'expired', 'untrusted'] as const;
const STATES: { readonly [status in Status]?: string } = {
  satisfied: 'valid',
  stale: 'stale',
  expired: 'expired',
  revoked: 'revoked',
};

/** The definition of a control in a workspace that never applied a bundle: a person may approve it. */
export const FIRST_DEFINITION: ControlDefinition = { review: { identity: 'any' } };

const DESK = 'review-desk';
export const isOfDesk = ({ item }: Evidence): boolean => item.source === DESK;

export const checkedAt = ({ item, facts }: Evidence): number | null => {
  if (item.checkedAt !== undefined) return instant(item.checkedAt);
  return facts.kind === 'verified' ? facts.checkedAtMs : null;
};

export function negative({ item, facts }: Evidence): (typeof NEGATIVES)[number] | null {
  if (item.result === 'REVOKED' || (facts.kind === 'verified' && facts.revoked)) return 'revoked';
  if (item.result === 'FAIL') return 'failed';
  return item.result === 'PASS' ? null : 'unrecognized';
}

/** The farthest error of an item that says PASS; null if it is good. */
export function fault(
  control: ControlDefinition,
  one: Evidence,
  now: number,
): (typeof NEAREST_FIRST)[number] {
  const { item, facts } = one;
  const checked = checkedAt(one);
  const verified = facts.kind === 'verified';
  const bound = verified && (facts.boundToDigest || (control.bind === 'object' && facts.boundToObject));
  const ends = verified && (facts.expiresAtMs !== null || control.maxAge !== undefined);
  if (isOfDesk(one)) {
    // A reference to a review: good only if the service confirmed it, and only once, whatever the control
    // requires.
    const backed = verified && facts.boundToDigest && facts.expiresAtMs !== null && !facts.usedUp;
    if (!backed || control.review === undefined) return 'untrusted';
  } else {
    if (control.sources !== undefined && !control.sources.includes(item.source)) return 'untrusted';
    if (!(bound && ends) && (control.assurance === 'attested' || item.attestation !== undefined))
      return 'untrusted';
    if (control.use === 'once' && verified && facts.usedUp) return 'untrusted';
  }
  if (checked !== null && checked > now + 60_000) return 'untrusted';
  const expiry = item.expiresAt === undefined ? Infinity : instant(item.expiresAt);
  if (expiry === null || expiry <= now) return 'expired';
  if (verified && facts.expiresAtMs !== null && facts.expiresAtMs <= now) return 'expired';
  if (control.maxAge === undefined) return null;
  return checked === null || now - checked > durationMs(control.maxAge) ? 'stale' : null;
}

/** Picks the item checked last; then by source, then by canonical form. */
export function shownOf(evidence: readonly Evidence[]): Evidence | undefined {
  return inShownOrder(evidence)[0];
}

export function inShownOrder(evidence: readonly Evidence[]): readonly Evidence[] {
  if (evidence.length < 2) return evidence;
  const age = (one: Evidence) => checkedAt(one) ?? -Infinity;
  const form = ({ item }: Evidence) =>
    JSON.stringify(Object.fromEntries(Object.entries(item).sort(([a], [b]) => byText(a, b))));
  return [...evidence].sort(
    (a, b) => age(b) - age(a) || byText(a.item.source, b.item.source) || byText(form(a), form(b)),
  );
}

/** The result of `evaluate` if a different person is required and there is none. */
export function distrust(evaluated: ReturnType<typeof evaluate>): ReturnType<typeof evaluate> {
  const { evaluation, control } = evaluated;
  const code = CODES.untrusted;
  const effect = control.onUnmet ?? 'pause';
  return {
    ...evaluated,
    status: 'untrusted',
    evaluation: { ...evaluation, status: 'untrusted', code, effect, authorityState: 'unknown' },
  };
}

/** The facts of the good item that is shown; null if it has none, or no item is good. */
export function factsIn({ status, shown }: ReturnType<typeof evaluate>): JsonObject | null {
  const known = status === 'satisfied' ? shown?.facts : undefined;
  return known?.kind === 'verified' ? (known.facts ?? null) : null;
}

export function evaluate(
  control: ControlDefinition,
  controlId: string,
  all: readonly Evidence[],
  now: number,
) {
  const own = all.filter(({ item }) => item.controlId === controlId);
  const words = own.map(negative);
  const faults = own.map((one) => fault(control, one, now));
  const worst = NEGATIVES.find((kind) => words.includes(kind));
  const miss = NEAREST_FIRST.find((kind) => faults.includes(kind));
  const status: Status = worst ?? (miss === undefined ? 'missing' : (miss ?? 'satisfied'));
  const shown = shownOf(own.filter((_, at) => (worst ? words[at] === worst : faults[at] === miss)));

  const checked = shown === undefined ? null : checkedAt(shown);
  const maxAge = control.maxAge === undefined ? null : durationMs(control.maxAge);
  const fresh = checked !== null && checked <= now + 60_000 && (maxAge === null || now - checked <= maxAge);
  const unmet: Effect = control.onUnmet ?? 'pause';
  const failed: Effect = control.onFailed ?? 'block';
  const evaluation = {
    controlId,
    present: own.length > 0,
    result: shown?.item.result,
    source: shown?.item.source,
    checkedAt: shown?.item.checkedAt ?? (checked === null ? undefined : new Date(checked).toISOString()),
    evidenceRef: shown?.item.evidenceRef,
    fresh: maxAge === null && checked === null ? undefined : fresh,
    status,
    code: CODES[status],
    effect:
      ({ satisfied: 'allow', revoked: 'block', failed } as { [status in Status]?: Effect })[status] ?? unmet,
    authorityState: STATES[status] ?? 'unknown',
  };
  return { controlId, control, own, shown, status, evaluation };
}
