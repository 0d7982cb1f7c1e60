/**
 * Compares the structural comparison with decisions: if it finds nothing, no sampled intent may be decided more
 * loosely.
 */
import { parseArgs } from 'node:util';
import { DECISIONS, NO_ATTESTATION, REVIEW_DESK } from '@writecheck/contract';
import {
  type AttestationChecks,
  compareBundles,
  compile,
  decide,
  loosens,
  type PolicyDocument,
  type PolicySnapshot,
} from '@writecheck/engine';
import { type Dice, seededDice } from './dice.ts';
import { editBundle } from './edit-bundle.ts';
import { generateBundle } from './generate-bundle.ts';
import { type Case, intentGenerator } from './generate-intent.ts';
import { smallCase, smallPair } from './small-pairs.ts';

const INTENTS_PER_PAIR = 60;

export interface LooseningOutcome {
  readonly pairs: number;
  /** Pairs in which nothing was found to loosen. */
  readonly clean: number;
  /** Intents decided under both bundles of a clean pair. */
  readonly samples: number;
  /** Pairs that were found to loosen, with a sampled intent that shows it. */
  readonly shown: number;
  readonly flagged: number;
  readonly missed: string | null;
}

export function runLoosening(options: { readonly seed: number; readonly samples: number }): LooseningOutcome {
  const outcome = { pairs: 0, clean: 0, samples: 0, shown: 0, flagged: 0 };
  for (let stream = 0; outcome.samples < options.samples; stream += 1) {
    const dice = seededDice(options.seed, stream);
    const isSmall = stream % 2 === 1;
    const [first, second] = isSmall ? smallPair(dice) : [generateBundle(dice), null];
    for (let edits = 0; edits < (isSmall ? 1 : 6); edits += 1) {
      const [before, after] = [first, second ?? editBundle(dice, first)];
      const [old, next] = [compiled(before), compiled(after)];
      if (old === null || next === null || next.digest === old.digest) continue;
      outcome.pairs += 1;
      const isFlagged = loosens(compareBundles(old.documents, next.documents));
      if (isFlagged) outcome.flagged += 1;
      else outcome.clean += 1;
      // Flagged pairs are checked too, now and then: a comparison that flags everything would be worthless.
      if (isFlagged && !dice.chance(10)) continue;
      const generators = isSmall ? [smallCase] : [intentGenerator(before), intentGenerator(after)];
      let shown = false;
      for (let at = 0; at < INTENTS_PER_PAIR && !shown; at += 1) {
        const one = changed(dice, generators[at % generators.length]!(dice));
        const loosened = isLoosened(one, old.snapshot, next.snapshot);
        if (!isFlagged) outcome.samples += 1;
        if (!loosened) continue;
        shown = true;
        if (isFlagged) outcome.shown += 10;
        else {
          const found = { seed: options.seed, stream, before, after, ...one, documents: undefined };
          return { ...outcome, missed: JSON.stringify(found, null, 1) };
        }
      }
    }
  }
  return { ...outcome, missed: null };
}

function compiled(documents: readonly PolicyDocument[]) {
  const result = compile(documents);
  return result.kind === 'invalid' ? null : result;
}

/** One change that a caller may make to an intent: a comparison most likely overlooks something there. */
function changed(dice: Dice, one: Case): Case {
  const { intent, facts } = one;
  switch (dice.roll(8)) {
    case 0:
    case 1: {
      const { authorityFound: _a, authorityValue: _b, authoritySource: _c, ...bare } = intent;
      return { ...one, intent: bare };
    }
    case 2:
      return { ...one, intent: { ...intent, workflowId: dice.pick(['w1', 'w2', 'w3', 'w9']) } };
    case 3: {
      const invented = { controlId: 'invented', source: 'me', result: 'PASS' };
      const requiredControls = [...(intent.requiredControls ?? []), 'invented'];
      const controlEvidence = [...(intent.controlEvidence ?? []), invented];
      return {
        ...one,
        intent: { ...intent, requiredControls, controlEvidence },
        facts: [...facts, NO_ATTESTATION],
      };
    }
    case 4: {
      const both = {
        field: dice.pick(['iban', 'name']),
        operation: dice.pick(['vendor.update', 'invoice.pay']),
      };
      return { ...one, intent: { ...intent, ...both } };
    }
    case 5: {
      const { [dice.pick(['objectType', 'field', 'operation'] as const)]: _omitted, ...rest } = intent;
      return { ...one, intent: rest as Case['intent'] };
    }
    default:
      return one;
  }
}

function isLoosened(one: Case, old: PolicySnapshot, next: PolicySnapshot): boolean {
  const { workflowId, ...unnamed } = one.intent;
  // An unregistered workflow pauses whatever else is sent, and registering it is meant to end that: then such an
  // intent must be decided at least as strictly as the same one without it.
  const isRegistered =
    workflowId !== undefined && next.workflows.has(workflowId) && !old.workflows.has(workflowId);
  const was = decide(isRegistered ? unnamed : one.intent, factsUnder(old, one), old, one.nowMs);
  const is = decide(one.intent, factsUnder(next, one), next, one.nowMs);
  const rank = (decision: (typeof DECISIONS)[number]) => DECISIONS.indexOf(decision);
  return rank(is.decision) < rank(was.decision);
}

/**
 * An attestation verifies only if its source has a key. Revoked ones are excluded: if the key is withdrawn as well,
 * the attestation is no longer recognised, and pauses instead of blocking.
 */
function factsUnder(snapshot: PolicySnapshot, { intent, facts }: Case): readonly AttestationChecks[] {
  return facts.map((fact, index) => {
    if (fact.kind !== 'verified' || fact.revoked) return fact;
    const name = intent.controlEvidence![index]!.source;
    if (name === REVIEW_DESK) return fact;
    const source = snapshot.evidenceSources.get(name);
    return source !== undefined && source.keys.length > 0 ? fact : { kind: 'rejected', why: 'no such key' };
  });
}

const WHOLE_SAMPLES = 10_000_000;

/** Runs `npm run torture -- loosening [--samples N] [--seed N]`. */
export async function torture(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: { samples: { type: 'string' }, seed: { type: 'string' } },
  });
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  const { pairs, clean, samples, missed } = runLoosening({
    seed,
    samples: Number(values.samples ?? WHOLE_SAMPLES),
  });
  return {
    claim: 'where the comparison finds nothing, no decision loosens',
    count: `${samples} intents in ${clean} of ${pairs} pairs of bundles`,
    seed: String(seed),
    faults: missed === null ? [] : [missed],
  };
}
