import { decisionTexts, type EngineDecision } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { type RecordFields, readRecord, recordAround, recordBytes, recordedIntent } from './record.ts';

function recordOf(intent: string): Buffer {
  return Buffer.from(`{"version":"1","warnings":[],"intent":${intent}}`);
}

const DECISION: EngineDecision = {
  decision: 'pause',
  evaluatedDecision: 'pause',
  reason: 'a "quoted" reason, also with ,"intent": in it',
  reasonCode: 'evidence_missing',
  requiredControls: ['approval'],
  controlEvaluations: [],
  profileProvenance: { source: 'default' },
  requirementProvenance: [],
  writePolicy: 'enforced',
  observeMode: false,
  enforced: true,
  warn: false,
  failClosed: false,
  validUntil: 1_700_000_000_000,
  remediation: [],
  warnings: ['ünïcode'],
  consumes: [{ source: 'desk', jti: 'j1' }],
  restsOn: [],
} as unknown as EngineDecision;

const FIELDS: Omit<RecordFields, 'intentText'> = {
  engine: '2',
  decisionId: 'dec_1',
  auditId: 'aud_1',
  requestId: 'a "request"',
  traceId: 't',
  workspace: 'ws_1',
  keyId: 'key_1',
  keyKind: 'live',
  timestamp: '2026-11-15T04:00:00.000Z',
  policyRef: null,
  intentDigest: 'sha256:00',
  warnings: ['one'],
  facts: [{ kind: 'none' }],
  decision: DECISION,
};

describe('a record', () => {
  const INTENT = ' {"system":"crm", "metadata":{"note":",\\"intent\\":"}}\n';
  const bytes = recordBytes(recordAround(FIELDS, decisionTexts(DECISION), Buffer.from(INTENT)));

  test('returns every member it was made of, and the intent as received', () => {
    expect(readRecord(bytes)).toEqual({ ...FIELDS, intentText: INTENT });
    expect(recordedIntent(bytes)).toMatchObject({ system: 'crm' });
  });

  test('of another version is refused', () => {
    const other = Buffer.from(
      Buffer.from(bytes).toString().replace('writecheck.record.v1', 'writecheck.record.v9'),
    );
    expect(() => readRecord(other)).toThrow('writecheck.record.v9');
  });
});

describe('the intent of a record', () => {
  test('is the intent that was decided, whatever was read before it', () => {
    // After it has seen the first, V8's JSON.parse reads the escaped name of the second as its own first characters.
    const decoy = String.raw`{"q1":1,"\\u006fbje":1,"system":"s","operation":"o","a":1,"b":1}`;
    const hiding = String.raw`{"q1":1,"\u006fbjectRef":"PERSON-7","system":"s","operation":"o","a":1,"b":1}`;
    for (let i = 0; i < 3; i += 1) expect(recordedIntent(recordOf(decoy)).objectRef).toBeUndefined();
    for (let i = 0; i < 3; i += 1) JSON.parse(recordOf(decoy).toString());
    expect(recordedIntent(recordOf(hiding))).toMatchObject({ objectRef: 'PERSON-7', system: 's' });
  });

  test('is read from a part of a larger buffer, and refused if it cannot be read', () => {
    const record = Buffer.concat([
      Buffer.from('xx'),
      recordOf('{"system":"s","metadata":{"note":",\\"intent\\":"}}'),
    ]);
    expect(recordedIntent(record.subarray(2)).system).toBe('s');
    expect(() => recordedIntent(recordOf('{"system":"s","system":"t"}'))).toThrow('cannot be read');
    expect(() => recordedIntent(Buffer.from('{"version":"1"}'))).toThrow('holds no intent');
  });
});
