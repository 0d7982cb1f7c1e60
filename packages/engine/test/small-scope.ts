/** Every property, on the cases of a small world. A file of tests for each world lets them run beside each other. */
import { expect, test } from 'vitest';
import type { Case } from './generate-intent.ts';
import { walkScope } from './walk-scope.ts';

/** The tests judge every sixth case, in seconds; `npm run torture -- scopes` judges all of them. */
const EVERY = 6;

export function testScope(scope: string, enumerate: () => Iterable<Case>, size: number): void {
  test(`${scope}: every sixth case holds every property`, { timeout: 900_000 }, () => {
    const { cases, violation } = walkScope(enumerate, EVERY);
    expect(violation).toBeNull();
    // The whole scope was walked, not a part of it.
    expect(cases).toBe(size);
  });
}
