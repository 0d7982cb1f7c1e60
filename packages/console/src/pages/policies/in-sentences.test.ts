import { expect, test } from 'vitest';
import { inSentences } from './in-sentences.ts';

test('a message becomes sentences, and what it quotes stays as it was written', () => {
  expect(inSentences('the agent chooses `a; b` itself; use a fact or `key`')).toBe(
    'The agent chooses `a; b` itself. Use a fact or `key`.',
  );
  expect(inSentences('`nobody` is for controls')).toBe('`nobody` is for controls.');
});
