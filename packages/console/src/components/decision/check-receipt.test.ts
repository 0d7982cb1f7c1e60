import { expect, test } from 'vitest';
import { refusal } from './check-receipt.ts';

test('why a receipt permits the write no longer is a sentence after its "no"', () => {
  const refused = (reason: 'expired' | 'observed_allow' | 'not_allowed', message: string) =>
    refusal({ ok: false, reason, message });
  expect(refused('expired', 'valid until 2026-11-18T09:14:00.000Z')).toMatch(
    /^it was valid until 18 Nov 2026/,
  );
  expect(refused('observed_allow', 'allowed only in observe mode')).toBe(
    'it was allowed in observe mode only; enforced, it would stop',
  );
  expect(refused('not_allowed', 'the decision is pause, not allow')).toBe('the decision is pause, not allow');
});
