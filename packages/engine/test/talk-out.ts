/**
 * Nobody talks their way out of a rule: under a bundle in which something enforces, no single addition and no
 * single omission turns a pause or block into an allow, except for the listed exceptions.
 */
import { compile, decide, type PolicyDocument, type PolicySnapshot } from '@writecheck/engine';
import { seededDice } from './dice.ts';
import type { Case } from './generate-intent.ts';
import { talkBundle, talkIntents } from './talk-cases.ts';
import { additions, type Change, type ChangeKind, omissions } from './talk-changes.ts';
import { exceptionFor, governs } from './talk-exceptions.ts';

const INTENTS_PER_BUNDLE = 60;

/** The engine under test: this one, or an earlier one, to check that the generator finds its known holes. */
export interface Engine {
  readonly snapshotOf: (documents: readonly PolicyDocument[]) => PolicySnapshot | null;
  readonly decide: typeof decide;
}

const THIS_ENGINE: Engine = {
  snapshotOf: (documents) => {
    const compiled = compile(documents);
    return compiled.kind === 'invalid' ? null : compiled.snapshot;
  },
  decide,
};

export interface Stretch {
  readonly seed: number;
  /** Bundles are numbered from 0; each is its own stream, so that one can be repeated alone. */
  readonly firstBundle: number;
  readonly changes: number;
  readonly engine?: Engine;
  /** Continues after a hole, to count them. */
  readonly countsHoles?: boolean;
}

export interface Hole {
  readonly kind: ChangeKind;
  readonly member: string;
  readonly one: Case;
  readonly variant: Case;
}

export interface TalkOutcome {
  readonly changes: number;
  readonly bundles: number;
  /** How often each exception excused an allow. */
  readonly excused: { readonly [name: string]: number };
  readonly holes: { readonly [kind: string]: number };
  readonly first: Hole | null;
}

export function runTalkOut({
  seed,
  firstBundle,
  changes,
  engine = THIS_ENGINE,
  countsHoles = false,
}: Stretch): TalkOutcome {
  const excused: { [name: string]: number } = {};
  const holes: { [kind: string]: number } = {};
  let first: Hole | null = null;
  let tried = 0;
  let bundle = firstBundle;
  for (; tried < changes && (first === null || countsHoles); bundle += 1) {
    const dice = seededDice(seed, bundle);
    const documents = talkBundle(dice);
    const snapshot = governs(documents) ? engine.snapshotOf(documents) : null;
    if (snapshot === null) continue;
    const draw = talkIntents(documents);
    for (let at = 0; at < INTENTS_PER_BUNDLE; at += 1) {
      const one = draw(dice);
      const before = engine.decide(one.intent, one.facts, snapshot, one.nowMs);
      if (before.decision === 'allow') continue;
      for (const change of everyChange(one)) {
        const { intent, facts, nowMs } = change.variant;
        tried += 1;
        if (engine.decide(intent, facts, snapshot, nowMs).decision !== 'allow') continue;
        const name = exceptionFor({ one, change, before });
        if (name !== null) excused[name] = (excused[name] ?? 0) + 1;
        else {
          const { kind, member, variant } = change;
          holes[kind] = (holes[kind] ?? 0) + 1;
          first ??= { kind, member, one, variant };
        }
      }
    }
  }
  return { changes: tried, bundles: bundle - firstBundle, excused, holes, first };
}

function* everyChange(one: Case): Generator<Change> {
  yield* additions(one);
  yield* omissions(one);
}
