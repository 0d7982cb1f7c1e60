/** What the form says of a freeze is what the engine does. */
import type { Freeze, Review } from '@writecheck/api';
import { UNNAMED_SYSTEM, type WriteIntent } from '@writecheck/contract';
import { compileFreeze } from '@writecheck/engine';
import { expect, test } from 'vitest';
import { freezeOf } from './scope-matcher.ts';
import { alsoInWords, scopeWithin, stopsAgent } from './scope-words.ts';

const NAMED = { system: 'erp', operation: 'update', objectType: 'vendor', field: 'iban', workflowId: 'w' };
const MEMBERS = ['system', 'operation', 'objectType', 'field', 'workflowId'] as const;

test.each(MEMBERS)('a freeze by %s also stops writes that leave it out, and the form says so', (member) => {
  const { [member]: _, ...rest } = NAMED;
  const isFrozen = compileFreeze({ [member]: 'frozen' });
  expect(isFrozen(NAMED, null)).toBe(false);
  expect(isFrozen({ system: UNNAMED_SYSTEM, ...rest } as WriteIntent, null)).toBe(true);
  expect(alsoInWords({ [member]: 'frozen' })).toMatch(/^Writes that don’t name their .* stop too\.$/);
});

test('a write that leaves one out goes on if another differs, and the form says that too', () => {
  const scope = { field: 'iban', workflowId: 'payouts' };
  expect(compileFreeze(scope)({ system: 'erp', workflowId: 'other' }, null)).toBe(false);
  expect(alsoInWords(scope)).toBe(
    'Writes that don’t name their field or workflow stop too, if the rest matches.',
  );
  expect(alsoInWords({ keyId: 'key_1' })).toBeNull();
  expect(alsoInWords({})).toBeNull();
});

test('a scope is named within a sentence, with the name of the agent', () => {
  const agents = new Map([['key_1', 'ap-bot']]);
  expect(scopeWithin({ keyId: 'key_1' }, agents)).toBe('writes by `ap-bot`');
  expect(scopeWithin({}, agents)).toBe('every write of this workspace');
});

test('an agent is frozen by a freeze of everything or of itself, and partly by one that names more', () => {
  const stops = (scope: object) => stopsAgent(scope, 'key_1');
  expect([{}, { keyId: 'key_1' }, { keyId: ['key_2', 'key_1'] }].map(stops)).toEqual(['all', 'all', 'all']);
  expect(stops({ keyId: 'key_1', system: 'erp' })).toBe('some');
  expect([{ keyId: 'key_2' }, { system: 'erp' }].map(stops)).toEqual([null, null]);
});

test('a review finds the freeze that stops its write, whichever agent asked for it', () => {
  const review = {
    intent: { ...NAMED, workflowId: null },
    askedBy: [{ keyId: 'key_1' }, { keyId: 'key_2' }],
  } as unknown as Review;
  const freeze = (id: string, scope: object) => ({ id, scope }) as unknown as Freeze;
  const found = (scope: object) =>
    freezeOf(review, [freeze('frz_0', { system: 'hr' }), freeze('frz_1', scope)]);
  expect(found({ keyId: 'key_2' })?.id).toBe('frz_1');
  // What the write leaves out counts as matching.
  expect(found({ workflowId: 'payouts' })?.id).toBe('frz_1');
  expect(found({ keyId: 'key_3' })).toBeNull();
});
