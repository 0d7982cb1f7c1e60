import { expect } from 'vitest';
import { testInPart } from '../../../scripts/in-part.ts';
import { runLoosening } from './loosening.ts';

testInPart(
  {
    part: 2_000,
    whole: 80_000,
    named: (count) =>
      `where the comparison finds nothing that loosens, no decision loosens: ${count} intents of generated pairs`,
  },
  (samples) => {
    const outcome = runLoosening({ seed: 20_261_115, samples });
    expect(outcome.missed).toBeNull();
    expect(outcome.samples).toBeGreaterThanOrEqual(samples);
    // A comparison that flags everything would be sound but useless.
    expect(outcome.clean / outcome.pairs).toBeGreaterThan(0.2);
  },
);
