/** Decides cases under two bundles and keeps some whose decision loosens, as examples for a person. */
import { DECISIONS, type Decision, type ReasonCode, type WriteIntent } from '@writecheck/contract';
import { decide } from '../decide.ts';
import type { AttestationFacts } from '../evidence/facts.ts';
import type { PolicySnapshot } from '../policy/snapshot.ts';
import type { SampleCase } from './sample-cases.ts';

export interface Verdict {
  readonly decision: Decision;
  readonly evaluatedDecision: Decision;
  readonly reason_code: ReasonCode;
}

export interface LoosenedExample {
  readonly intent: WriteIntent;
  readonly now: string;
  readonly before: Verdict;
  readonly after: Verdict;
}

const MOST_EXAMPLES = 5;

/** Stops when there are enough examples, or when it is told to. */
export function findLoosened(
  cases: Iterable<SampleCase>,
  before: PolicySnapshot,
  after: PolicySnapshot,
  isOver: () => boolean = () => false,
  found: LoosenedExample[] = [],
): readonly LoosenedExample[] {
  const kinds = new Set<string>();
  for (const one of cases) {
    if (found.length >= MOST_EXAMPLES || isOver()) break;
    const was = verdict(one, before);
    const is = verdict(one, after);
    if (!isLooser(is, was)) continue;
    const kind = JSON.stringify([was, is, one.intent.system]);
    if (kinds.has(kind)) continue;
    kinds.add(kind);
    found.push({ intent: one.intent, now: new Date(one.nowMs).toISOString(), before: was, after: is });
  }
  return found;
}

export function isLooser(a: Verdict, b: Verdict): boolean {
  const rank = (decision: Decision) => DECISIONS.indexOf(decision);
  return rank(a.decision) < rank(b.decision) || rank(a.evaluatedDecision) < rank(b.evaluatedDecision);
}

function verdict(one: SampleCase, snapshot: PolicySnapshot): Verdict {
  const { decision, evaluatedDecision, reasonCode } = decide(
    one.intent,
    factsUnder(one, snapshot),
    snapshot,
    one.nowMs,
  );
  return { decision, evaluatedDecision, reason_code: reasonCode };
}

/** An attestation verifies only where its source has a key. */
function factsUnder({ intent, facts }: SampleCase, snapshot: PolicySnapshot): readonly AttestationFacts[] {
  return facts.map((fact, index) => {
    if (fact.kind !== 'verified') return fact;
    const source = snapshot.evidenceSources.get(intent.controlEvidence?.[index]?.source ?? '');
    return source !== undefined && source.keys.length > 0
      ? fact
      : { kind: 'rejected', why: 'the source of the item has no keys' };
  });
}
