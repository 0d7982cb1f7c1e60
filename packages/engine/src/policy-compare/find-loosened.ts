/** Decides cases under two bundles and keeps some whose decision loosens, as examples for a person. */
import {
  type AttestationChecks,
  DECISIONS,
  type Decision,
  type EngineDecision,
  REVIEW_DESK,
  type ReasonCode,
  type WriteIntent,
} from '@writecheck/contract';
import { decide } from '../decide.ts';
import type { PolicySnapshot } from '../policy/snapshot.ts';
import { SUPPOSED_KEY, supposeDrawn } from '../policy-tests/suppose-drawn.ts';
import { describeSent } from './describe-sent.ts';
import type { RecordedVerdict, SampleCase } from './sample-cases.ts';

export interface Verdict {
  readonly decision: Decision;
  readonly evaluatedDecision: Decision;
  readonly reason_code: ReasonCode;
}

export interface LoosenedExample {
  readonly intent: WriteIntent;
  /** A recorded write, a PolicyTest of the bundle, or one made up from the rules. */
  readonly origin: 'recorded' | 'test' | 'constructed';
  readonly now: string;
  /** A description of the authority and evidence that came with it. */
  readonly sent: string;
  readonly before: Verdict;
  readonly after: Verdict;
  /** What the log says of a recorded write; it may have been decided under another bundle. */
  readonly recorded?: RecordedVerdict;
}

const EXAMPLES_MAX = 5;

/** Adds to `found`. Stops when there are enough examples, or when its caller says so. */
export function findLoosened(
  cases: Iterable<SampleCase>,
  before: PolicySnapshot,
  after: PolicySnapshot,
  isOver: () => boolean = () => false,
  found: LoosenedExample[] = [],
): readonly LoosenedExample[] {
  const kinds = new Set(found.map(kindOf));
  const states = drawnStates(before);
  for (const one of cases) {
    if (found.length >= EXAMPLES_MAX || isOver()) break;
    const [was, is] = loosenedIn(states, one, before, after) ?? [];
    if (was === undefined || is === undefined) continue;
    const example: LoosenedExample = {
      intent: one.intent,
      origin: one.origin ?? 'constructed',
      now: new Date(one.nowMs).toISOString(),
      sent: describeSent(one, [...new Set([...was.requiredControls, ...is.requiredControls])]),
      before: verdictOf(was),
      after: verdictOf(is),
      ...(one.recorded && { recorded: one.recorded }),
    };
    const kind = kindOf(example);
    if (kinds.has(kind)) continue;
    kinds.add(kind);
    found.push(example);
  }
  return found;
}

/** One example of each kind is enough: other differences between two writes would not help a person. */
function kindOf({ intent, before, after }: LoosenedExample): string {
  const { decision, reason_code } = before;
  return JSON.stringify([intent.system, decision, reason_code, after.decision, after.reason_code]);
}

function verdictOf({ decision, evaluatedDecision, reasonCode }: EngineDecision): Verdict {
  return { decision, evaluatedDecision, reason_code: reasonCode };
}

type Drawn = Parameters<typeof supposeDrawn>[4];

/**
 * If nothing is drawn, a limit hides no other rule; if everything is drawn, a limit that was removed or raised
 * shows.
 */
function drawnStates({ limits }: PolicySnapshot): readonly Drawn[] {
  if (limits.length === 0) return [{}];
  return [{}, Object.fromEntries(limits.map(({ id, max }) => [id, max]))];
}

function loosenedIn(
  states: readonly Drawn[],
  one: SampleCase,
  before: PolicySnapshot,
  after: PolicySnapshot,
): readonly [EngineDecision, EngineDecision] | null {
  for (const drawn of states) {
    const was = decided(one, before, drawn);
    const is = decided(one, after, drawn);
    if (DECISIONS.indexOf(is.decision) < DECISIONS.indexOf(was.decision)) return [was, is];
  }
  return null;
}

function decided(one: SampleCase, snapshot: PolicySnapshot, drawn: Drawn): EngineDecision {
  const { intent, nowMs } = one;
  const facts = factsUnder(one, snapshot);
  return decide(intent, facts, snapshot, nowMs, {
    freezes: [],
    readings: supposeDrawn(intent, facts, snapshot, nowMs, drawn),
    firstKeyId: SUPPOSED_KEY,
  });
}

/** An attestation verifies only if its source has a key. */
function factsUnder({ intent, facts }: SampleCase, snapshot: PolicySnapshot): readonly AttestationChecks[] {
  return facts.map((fact, index) => {
    if (fact.kind !== 'verified') return fact;
    const name = intent.controlEvidence?.[index]?.source ?? '';
    // A person may have approved it, whatever the keys.
    if (name === REVIEW_DESK) return fact;
    const source = snapshot.evidenceSources.get(name);
    return source !== undefined && source.keys.length > 0
      ? fact
      : { kind: 'rejected', why: 'the source of the item has no keys' };
  });
}
