import { decisionTexts } from '@writecheck/contract';
import { decide, EMPTY_SNAPSHOT } from '@writecheck/engine';
import { readRecord, recordAround, recordBytes, recordedIntent } from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { fc } from '../../../../../scripts/fast-check.ts';
import { recordParts } from './record-parts.ts';

const MARKERS = ['"facts":', ',"facts":[', ',"decision":{', ',"intent":', '\\"', 'ü\u2028', '"version"'];
const odd = fc
  .array(fc.oneof(fc.string(), fc.constantFrom(...MARKERS)), { maxLength: 4 })
  .map((all) => all.join(''));

test('replaying reads of a record what the ledger reads, whatever callers put into it', () => {
  fc.assert(
    fc.property(odd, odd, odd, fc.boolean(), (warning, jti, value, hasFacts) => {
      const intent = {
        system: 'erp',
        operation: 'vendor.update',
        agentValue: value,
        metadata: { agent: warning },
      };
      const facts = hasFacts
        ? [
            {
              ...{ kind: 'verified', jti, checkedAtMs: 1, expiresAtMs: null, boundToDigest: true },
              facts: { decision: {}, intent: { system: 'other' }, facts: [value], note: jti },
            } as never,
          ]
        : [];
      const decision = decide(intent as never, [], EMPTY_SNAPSHOT, 0);
      const fields = {
        ...{ engine: '3', decisionId: 'dec_1', auditId: 'aud_1', requestId: warning, traceId: 't' },
        ...{ workspace: 'ws_1', keyId: 'key_1', keyKind: 'live' as const, policyRef: null },
        ...{ timestamp: '2026-11-16T00:00:00.000Z', intentDigest: 'sha256:0', warnings: [warning, value] },
        ...{ facts, decision: { ...decision, reason: value } },
      };
      const bytes = Buffer.from(JSON.stringify(intent));
      const record = Buffer.from(recordBytes(recordAround(fields, decisionTexts(fields.decision), bytes)));
      const read = readRecord(record);
      const parts = recordParts(record)!;
      expect(parts.engine).toBe(read.engine);
      expect(parts.facts).toEqual(read.facts);
      expect(read.facts).toEqual(facts);
      expect(recordedIntent(record)).toEqual(intent);
      expect(Buffer.from(parts.intent).toString()).toBe(read.intentText);
    }),
    { numRuns: 300 },
  );
});

test('a record of another version is not read', () => {
  expect(recordParts(Buffer.from('{"version":"writecheck.record.v2","engine":"9"}'))).toBeNull();
  expect(recordParts(Buffer.alloc(0))).toBeNull();
});
