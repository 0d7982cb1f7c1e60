import { describe, expect } from 'vitest';
import { testInPart } from '../../../scripts/in-part.ts';
import { compareDigests } from './digest-equality.ts';
import { python } from './python.ts';

describe.skipIf(python === undefined)('the digest of an intent', () => {
  testInPart(
    {
      part: 5_000,
      whole: 20_000,
      named: (count) => `is the same in Python and TypeScript, over ${count} generated intents`,
    },
    async (intents) => {
      expect(await compareDigests(intents, Date.now())).toEqual({ compared: intents, different: [] });
    },
  );
});
