/** Judges the cases of a small world, all of them or a sample. */
import { decideCase } from './case-variants.ts';
import type { Case } from './generate-intent.ts';
import { PROPERTIES, violationOf } from './properties.ts';

/** Stops at the first violation. */
export function walkScope(
  enumerate: () => Iterable<Case>,
  every: number,
): { readonly cases: number; readonly violation: unknown } {
  let cases = 0;
  for (const one of enumerate()) {
    cases += 1;
    // A different place in each round: a fixed one would never see some value of the fastest-varying part.
    if (cases % every !== Math.floor(cases / every) % every) continue;
    const before = decideCase(one);
    for (const property of PROPERTIES) {
      const violation = violationOf(property, one, before);
      if (violation !== null) return { cases, violation };
    }
  }
  return { cases, violation: null };
}
