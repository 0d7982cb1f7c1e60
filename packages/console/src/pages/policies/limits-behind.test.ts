import { expect, test } from 'vitest';
import { limitsBehind } from './limits-behind.ts';

const changes = [
  { kind: 'Limit', id: 'writes-of-an-agent' },
  { kind: 'Profile', id: 'refunds' },
] as const;
const counted = (code: string) => ({ byCode: [{ code, decisions: 3, intents: 3 }] });

test('a trial names the limits that were changed where a limit is the reason, and only there', () => {
  expect(limitsBehind(counted('limit_exceeded'), changes)).toEqual(['writes-of-an-agent']);
  expect(limitsBehind(counted('CONTROL_EVIDENCE_MISSING'), changes)).toEqual([]);
  expect(limitsBehind({ byCode: [] }, changes)).toEqual([]);
});
