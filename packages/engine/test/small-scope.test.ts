/** Every property, on every case of the small worlds. */
import { describe, expect, test } from 'vitest';
import { decideCase } from './case-variants.ts';
import { PROPERTIES, violationOf } from './properties.ts';
import { authority, oneItem, people, sources, twoItems } from './small-scopes.ts';

const SCOPES = [
  { scope: 'one item of every kind for a control of every kind', enumerate: oneItem, size: 58_320 },
  { scope: 'every two items for a control of every kind', enumerate: twoItems, size: 56_187 },
  { scope: 'every state of authority under every profile', enumerate: authority, size: 40_824 },
  { scope: 'every source of a requirement in every mode', enumerate: sources, size: 31_104 },
  { scope: 'everything a person may say', enumerate: people, size: 48_384 },
];

describe.each(SCOPES)('$scope', ({ enumerate, size }) => {
  test('holds every property', { timeout: 900_000 }, () => {
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
});
