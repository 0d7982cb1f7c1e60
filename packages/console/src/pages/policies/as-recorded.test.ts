import { expect, test } from 'vitest';
import { asRecorded } from './as-recorded.ts';

const of = (intents: number, recorded: { allow?: number; pause?: number; block?: number }) => ({
  intents,
  recorded: { allow: 0, pause: 0, block: 0, ...recorded },
});

test('a replay says of the past what the log has, and not what another policy would have done', () => {
  expect(asRecorded(of(25, { allow: 21, pause: 4 }), 'allowed')).toBe('21 of them were allowed at the time.');
  expect(asRecorded(of(3, { allow: 3 }), 'allowed')).toBe('All 3 were allowed at the time.');
  expect(asRecorded(of(1, { allow: 1 }), 'allowed')).toBe('It was allowed at the time.');
  expect(asRecorded(of(9, { pause: 1, block: 2 }), 'stopped')).toBe(
    '1 of them was paused and 2 blocked at the time.',
  );
});

test('nothing is said if the past was as the live policy has it', () => {
  expect(asRecorded(of(4, { pause: 4 }), 'allowed')).toBeNull();
  expect(asRecorded(of(4, { allow: 4 }), 'stopped')).toBeNull();
  expect(asRecorded({ intents: 4 }, 'allowed')).toBeNull();
});
