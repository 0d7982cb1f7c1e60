/** Every property the engine promises, over fast-check's cases (shrunk on failure) and over the generator's. */

import { describe, expect, test } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { testInPart } from '../../../scripts/in-part.ts';
import { anyCase } from './arbitraries.ts';
import { seededDice } from './dice.ts';
import { crowded, generateBundle } from './generate-bundle.ts';
import { intentGenerator } from './generate-intent.ts';
import { PROPERTIES, violationOf } from './properties.ts';

const SEED = Number(process.env.WRITECHECK_SEED ?? 20_261_103);
const SHRINKABLE_RUNS = 100;
const CASES = 3_000;
const INTENTS_PER_BUNDLE = 20;

describe.each(PROPERTIES)('$name', (property) => {
  test(`on ${SHRINKABLE_RUNS} shrinkable cases (seed ${SEED})`, () => {
    fc.assert(
      fc.property(anyCase, (one) => {
        const violation = violationOf(property, one);
        if (violation !== null) throw new Error(JSON.stringify(violation, null, 1));
      }),
      { seed: SEED, numRuns: SHRINKABLE_RUNS },
    );
  });

  testInPart(
    { part: CASES / 20, whole: CASES, named: (count) => `on ${count} generated cases (seed ${SEED})` },
    (cases) => {
      let variants = 0;
      for (let bundle = 0; bundle < cases / INTENTS_PER_BUNDLE; bundle += 1) {
        const dice = seededDice(SEED, bundle);
        const documents = generateBundle(dice);
        const generate = intentGenerator(
          bundle % 25 === 1 ? crowded(seededDice(SEED, bundle), documents) : documents,
        );
        for (let at = 0; at < INTENTS_PER_BUNDLE; at += 1) {
          const violation = violationOf(property, generate(dice), undefined, () => {
            variants += 1;
          });
          expect(violation).toBeNull();
        }
      }
      // A property that is never exercised would always hold.
      expect(variants).toBeGreaterThan(((property.fewest ?? 400) * cases) / CASES);
    },
  );
});
