import { HOUR_MS } from '@writecheck/contract';
import { leafBytes, redemptionBytes } from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { fc } from '../../../../scripts/fast-check.ts';
import { newRequest } from '../../test/store-contract/store-contract-values.ts';
import { IndexRows } from './index-rows.ts';

const NOTHING = Buffer.alloc(0);
const DECISIONS = ['allow', 'pause', 'block'] as const;
const START_MS = Date.UTC(2026, 10, 15);

function storedDecision(options: Parameters<typeof newRequest>[1], workspace: string) {
  const { record, leaf } = newRequest(workspace, options);
  const digests = { recordDigest: `sha256:${'0'.repeat(64)}` };
  return {
    record: Buffer.concat([Buffer.from(record.before), record.intent, Buffer.from(record.after)]),
    leaf: Buffer.from(leafBytes({ ...leaf, log: 'l', workspace, keyKind: 'live', ...digests })),
  };
}

const decided = fc.record({
  workspace: fc.constantFrom('ws_1', 'ws_2'),
  keyId: fc.constantFrom('key_1', 'key_2'),
  hour: fc.nat(30),
  decision: fc.constantFrom(...DECISIONS),
  evaluatedDecision: fc.constantFrom(...DECISIONS),
});

test('every decision is counted once, however the log is cut into segments and steps', () => {
  fc.assert(
    fc.property(fc.array(decided, { maxLength: 20 }), fc.nat(20), (drafts, cut) => {
      const entries = drafts.map(({ workspace, hour, ...rest }) =>
        storedDecision({ ...rest, atMs: START_MS + hour * HOUR_MS + 7 }, workspace),
      );
      const whole = new IndexRows();
      whole.add(100, entries);
      const parts = new IndexRows();
      parts.add(100 + cut, entries.slice(cut));
      parts.add(100, entries.slice(0, cut));
      expect(parts.daily).toEqual(whole.daily);
      expect(parts.hourly).toEqual(whole.hourly);
      expect(parts.decisions.toSorted((a, b) => a.position - b.position)).toEqual(whole.decisions);
      for (const { workspace, day, keyId, checks } of whole.daily) {
        const same = drafts.filter(
          (one) =>
            one.workspace === workspace &&
            one.keyId === keyId &&
            new Date(START_MS + one.hour * HOUR_MS).toISOString().startsWith(day),
        );
        expect(checks).toBe(same.length);
      }
      for (const { workspace, hourMs, allow, pause, block, warned } of whole.hourly) {
        const same = drafts.filter(
          (one) => one.workspace === workspace && START_MS + one.hour * HOUR_MS === hourMs,
        );
        const of = (decision: string) => same.filter((one) => one.decision === decision).length;
        expect([allow, pause, block]).toEqual(DECISIONS.map(of));
        expect(warned).toBe(same.filter((one) => one.evaluatedDecision !== one.decision).length);
      }
      expect(whole.hourly.reduce((sum, { allow, pause, block }) => sum + allow + pause + block, 0)).toBe(
        drafts.length,
      );
    }),
    { numRuns: 100 },
  );
});

test('pruned entries and entries that are not decisions keep their positions and are not listed', () => {
  const redemption = redemptionBytes({
    kind: 'redemption',
    log: 'l',
    decision_id: `dec_${'0'.repeat(32)}`,
    workspace: 'ws_1',
    keyId: 'key_1',
    keyKind: 'live',
    intentDigest: `sha256:${'0'.repeat(64)}`,
    timestamp: '2026-11-15T00:00:00.000Z',
  });
  const index = new IndexRows();
  const last = storedDecision({ objectRef: 'O-1', runId: 'run 1' }, 'ws_1');
  index.add(7, [
    { record: NOTHING, leaf: NOTHING },
    { record: NOTHING, leaf: Buffer.from(redemption) },
    last,
  ]);
  expect(index.decisions).toMatchObject([
    { position: 9, workspace: 'ws_1', objectRef: 'O-1', runId: 'run 1', field: null, system: 'crm' },
  ]);
  expect(index.daily).toMatchObject([{ workspace: 'ws_1', checks: 1 }]);
});
