/** Every property, on the cases of a small world. Each world has its own test file, so that they run in parallel. */
import { expect } from 'vitest';
import { testInPart } from '../../../scripts/in-part.ts';
import type { Case } from './generate-intent.ts';
import { walkScope } from './walk-scope.ts';

/** `npm run torture -- scopes` judges all of them. */
const EVERY = 250;
const EVERY_AT_NIGHT = 6;

export function testScope(scope: string, enumerate: () => Iterable<Case>, size: number): void {
  testInPart(
    {
      part: Math.floor(size / EVERY),
      whole: Math.floor(size / EVERY_AT_NIGHT),
      named: (count) => `${scope}: each of ${count} cases holds every property`,
    },
    (judged) => {
      const { cases, violation } = walkScope(enumerate, Math.floor(size / judged));
      expect(violation).toBeNull();
      // The whole scope was walked, not just a part.
      expect(cases).toBe(size);
    },
  );
}
