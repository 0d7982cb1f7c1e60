import { describe, expect, it } from 'vitest';
import { compareDigests } from './digest-equality.ts';
import { python } from './python.ts';

describe.skipIf(python === undefined)('the digest of an intent', () => {
  it('is the same in Python and TypeScript, over 20,000 generated intents', {
    timeout: 120_000,
  }, async () => {
    expect(await compareDigests(20_000, Date.now())).toEqual({ compared: 20_000, different: [] });
  });
});
