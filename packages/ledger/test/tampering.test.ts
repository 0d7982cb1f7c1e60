import { describe, expect, it } from 'vitest';
import { testInPart } from '../../../scripts/in-part.ts';
import { verifyExport } from '../src/index.ts';
import { LINE_TAMPERINGS, SIGNER_TAMPERINGS, tamperEverywhere } from './tampering.ts';
import { exportOf, mixedEntries, sha256, TestLog } from './test-log.ts';
import { SIGNER } from './test-signer.ts';

const SIZE = 200;

describe('tampering with a log', () => {
  it('an untouched log verifies with and without a checkpoint kept elsewhere', async () => {
    const log = new TestLog(mixedEntries(SIZE));
    for (const knownCheckpoints of [[], [log.checkpoint()], [log.checkpoint(0), log.checkpoint(17)]]) {
      const verdict = await verifyExport(exportOf(log), { keys: [SIGNER.line], knownCheckpoints, sha256 });
      expect(verdict).toMatchObject({ ok: true });
    }
  });

  testInPart(
    { part: 20, whole: SIZE, named: (count) => `at every place of ${count} and in every way is detected` },
    async (size) => {
      const counts = await tamperEverywhere(size);
      expect(counts).toHaveLength(
        Object.keys(LINE_TAMPERINGS).length + Object.keys(SIGNER_TAMPERINGS).length + 2,
      );
      for (const { name, tried, undetected } of counts) {
        expect(tried).toBe(size);
        expect(undetected, name).toEqual([]);
      }
    },
  );

  const text = exportOf(new TestLog(mixedEntries(5))).join('\n');
  testInPart(
    {
      part: Math.floor(text.length / 20),
      whole: text.length,
      named: (count) => `by any one of ${count} characters of a small export is detected`,
    },
    async (characters) => {
      for (let at = 0; at < text.length; at += Math.floor(text.length / characters)) {
        const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
        const verdict = await verifyExport(changed.split('\n'), {
          keys: [SIGNER.line],
          workspace: undefined!,
        });
        if (verdict.ok) expect.fail(`character ${at}: ${text.slice(at - 40, at + 40)}`);
      }
    },
  );
});
