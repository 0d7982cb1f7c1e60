import { describe, expect, it } from 'vitest';
import { verifyExport } from '../src/index.ts';
import { LINE_TAMPERINGS, SIGNER_TAMPERINGS, tamperEverywhere } from './tampering.ts';
import { exportOf, mixedEntries, sha256, TestLog } from './test-log.ts';
import { SIGNER } from './test-signer.ts';

const SIZE = 200;

describe('tampering with a log of 200', () => {
  it('untouched, it verifies with and without a checkpoint kept elsewhere', async () => {
    const log = new TestLog(mixedEntries(SIZE));
    for (const knownCheckpoints of [[], [log.checkpoint()], [log.checkpoint(0), log.checkpoint(17)]]) {
      const verdict = await verifyExport(exportOf(log), { keys: [SIGNER.line], knownCheckpoints, sha256 });
      expect(verdict).toMatchObject({ ok: true });
    }
  });

  it('at every place and in every way is detected', { timeout: 300_000 }, async () => {
    const counts = await tamperEverywhere(SIZE);
    expect(counts).toHaveLength(
      Object.keys(LINE_TAMPERINGS).length + Object.keys(SIGNER_TAMPERINGS).length + 2,
    );
    for (const { name, tried, undetected } of counts) {
      expect(tried).toBe(SIZE);
      expect(undetected, name).toEqual([]);
    }
  });

  it('by any one character of a small export is detected', async () => {
    const text = exportOf(new TestLog(mixedEntries(5))).join('\n');
    for (let at = 0; at < text.length; at += 1) {
      const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
      const verdict = await verifyExport(changed.split('\n'), { keys: [SIGNER.line], workspace: undefined! });
      if (verdict.ok) expect.fail(`character ${at}: ${text.slice(at - 40, at + 40)}`);
    }
  });
});
