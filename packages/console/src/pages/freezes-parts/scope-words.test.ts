/** What the form says of a freeze is what the engine does. */
import { UNNAMED_SYSTEM, type WriteIntent } from '@writecheck/contract';
import { compileFreeze } from '@writecheck/engine';
import { expect, test } from 'vitest';
import { alsoInWords } from './scope-words.ts';

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
