/** Every property, on every case of a small world. A file of tests for each world lets them run beside each other. */
import { expect, test } from 'vitest';
import { decideCase } from './case-variants.ts';
import type { Case } from './generate-intent.ts';
import { PROPERTIES, violationOf } from './properties.ts';

export function testScope(scope: string, enumerate: () => Iterable<Case>, size: number): void {
  test(`${scope}: holds every property`, { timeout: 900_000 }, () => {
    let cases = 0;
    for (const one of enumerate()) {
      cases += 1;
      const before = decideCase(one);
      for (const property of PROPERTIES) {
        const violation = violationOf(property, one, before);
        if (violation !== null) expect.fail(JSON.stringify(violation, null, 1));
      }
    }
    // The whole scope was walked, not a part of it.
    expect(cases).toBe(size);
  });
}
