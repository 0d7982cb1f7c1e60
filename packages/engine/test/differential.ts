/** Runs generated cases through engine and model, counts what they hit, and shrinks the first difference. */
import { compile, EMPTY_SNAPSHOT, type PolicyDocument, type PolicySnapshot } from '@writecheck/engine';
import { compareDecisions } from './compare-decisions.ts';
import { seededDice } from './dice.ts';
import { crowded, generateBundle } from './generate-bundle.ts';
import { type Case, intentGenerator } from './generate-intent.ts';
import { shrinkCase } from './shrink-case.ts';

export const INTENTS_PER_BUNDLE = 100;

export interface Stretch {
  readonly seed: number;
  /** Bundles are numbered from 0; each is its own stream, so that one can be repeated alone. */
  readonly firstBundle: number;
  readonly bundles: number;
}

export interface Difference {
  readonly seed: number;
  readonly bundle: number;
  readonly what: string;
  readonly smallest: Case;
}

export interface Outcome {
  readonly cases: number;
  /** `reasonCode effect mode` -> how often. */
  readonly hits: { readonly [triple: string]: number };
  /** The first difference, at which a run stops. */
  readonly difference: Difference | null;
}

export function snapshotOf(documents: readonly PolicyDocument[]): PolicySnapshot {
  if (documents.length === 0) return EMPTY_SNAPSHOT;
  const compiled = compile(documents);
  if (compiled.kind === 'invalid') {
    throw new Error(
      `the generator made a bundle that does not compile: ${JSON.stringify({ faults: compiled.faults, documents })}`,
    );
  }
  return compiled.snapshot;
}

function differs(one: Case): boolean {
  const compiled = one.documents.length === 0 ? null : compile(one.documents);
  if (compiled?.kind === 'invalid') return false;
  try {
    return compareDecisions(one, compiled?.snapshot ?? EMPTY_SNAPSHOT).difference !== null;
  } catch {
    // The model may not support a shrunk case; such a case explains nothing.
    return false;
  }
}

export function runDifferential({ seed, firstBundle, bundles }: Stretch): Outcome {
  const hits: { [triple: string]: number } = {};
  let cases = 0;
  for (let bundle = firstBundle; bundle < firstBundle + bundles; bundle += 1) {
    const dice = seededDice(seed, bundle);
    const drawn = generateBundle(dice);
    // From a stream of its own, so that the other bundles stay what they were.
    const crowd = seededDice(seed + 1, bundle);
    const documents = crowd.chance(1) ? crowded(crowd, drawn) : drawn;
    const snapshot = snapshotOf(documents);
    const generate = intentGenerator(documents);
    for (let at = 0; at < INTENTS_PER_BUNDLE; at += 1) {
      const one = generate(dice);
      const { difference: what, model } = compareDecisions(one, snapshot);
      cases += 1;
      if (what !== null) {
        const smallest = shrinkCase(one, differs);
        const now = compareDecisions(smallest, snapshotOf(smallest.documents)).difference;
        return { cases, hits, difference: { seed, bundle, what: now ?? what, smallest } };
      }
      // The gate that gave the reason: on an allow it is one that only observes.
      const isWatched = model.decision === 'allow' && model.evaluatedDecision !== 'allow';
      const effect = isWatched ? model.evaluatedDecision : model.decision;
      const triple = `${model.reasonCode} ${effect} ${isWatched ? 'observe' : model.writePolicy}`;
      hits[triple] = (hits[triple] ?? 0) + 1;
    }
  }
  return { cases, hits, difference: null };
}

export function describeDifference({ seed, bundle, what, smallest }: Difference): string {
  return [
    `engine and model differ (seed ${seed}, bundle ${bundle})`,
    what,
    JSON.stringify(smallest, null, 1),
  ].join('\n');
}
