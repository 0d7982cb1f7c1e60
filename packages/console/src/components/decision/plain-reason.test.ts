import { expect, test } from 'vitest';
import { plainReason } from './plain-reason.ts';

test('a reason speaks of hours and passes, and leaves every name alone', () => {
  const need = 'supply an attested PASS checked within the last 1 day, or a person’s approval in a review.';
  expect(plainReason(`Control \`approval\` has no evidence; ${need}`)).toBe(
    'Control `approval` is missing; supply a signed pass checked within 24 hours, or a person’s approval in a review.',
  );
  expect(plainReason('supply a PASS checked within the last 20 minutes')).toBe(
    'supply a pass checked within 20 minutes',
  );
  expect(plainReason('from `desk`, checked at 2026-11-18T04:38:34.543Z, is too old')).toBe(
    'from `desk`, checked at 18 Nov 2026, 04:38:34 UTC, is too old',
  );
  expect(plainReason('All 2 required controls are satisfied.')).toBe('Both required controls are satisfied.');
  expect(plainReason('Control `a PASS within the last 1 day` failed.')).toBe(
    'Control `a PASS within the last 1 day` failed.',
  );
});
