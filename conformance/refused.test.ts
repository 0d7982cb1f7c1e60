import { intentFromValue, parseIntent } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import refused from './refused.json' with { type: 'json' };

describe('every one of these intents is refused, at the place and in the words that are stated', () => {
  test.each(refused)('$title', ({ intent, code, details }) => {
    for (const parsed of [
      parseIntent(new TextEncoder().encode(JSON.stringify(intent))),
      intentFromValue(intent),
    ])
      expect(parsed).toMatchObject({ kind: 'refused', code, details });
  });
});
