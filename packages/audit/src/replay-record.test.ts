import { createHash } from 'node:crypto';
import { canonicalJson, decisionTexts, intentDigest, type WriteIntent } from '@writecheck/contract';
import { decide, EMPTY_SNAPSHOT_BEFORE_REVIEWS, ENGINE_VERSION } from '@writecheck/engine';
import { type Leaf, recordAround, recordBytes } from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { ReplayBundles, replayRecord } from './replay-record.ts';

const INTENT: WriteIntent = { system: 'erp', operation: 'refund.create', requiredControls: ['approval'] };
const TIMESTAMP = '2026-11-15T12:00:00.000Z';
const DECISION = decide(INTENT, [], EMPTY_SNAPSHOT_BEFORE_REVIEWS, Date.parse(TIMESTAMP));

/** A pause by an engine of that version, and its leaf. */
function recorded(engine: string, policyRef: string | null = null) {
  const about = {
    workspace: 'ws_1',
    keyId: 'key_1',
    keyKind: 'development' as const,
    timestamp: TIMESTAMP,
    policyRef,
    intentDigest: intentDigest(INTENT),
  };
  const fields = {
    ...about,
    engine,
    decisionId: 'dec_1',
    auditId: 'aud_1',
    requestId: 'req_1',
    traceId: 'a',
    warnings: [],
    facts: [],
    decision: DECISION,
  };
  const pieces = recordAround(fields, decisionTexts(DECISION), Buffer.from(JSON.stringify(INTENT)));
  const leaf = {
    ...about,
    log: 'l',
    decision_id: 'dec_1',
    audit_id: 'aud_1',
    validUntil: null,
    recordDigest: '',
    decision: 'pause',
    evaluatedDecision: 'pause',
    reason_code: DECISION.reasonCode,
  } as Leaf;
  return { record: Buffer.from(recordBytes(pieces)), leaf };
}

test.each(['1', '2'])(
  'a pause of engine %s before any bundle is decided again without a review',
  (engine) => {
    expect(DECISION.review).toBeUndefined();
    const { record, leaf } = recorded(engine);
    expect(replayRecord(record, leaf, new ReplayBundles())).toEqual({ kind: 'same' });
    const newer = recorded(ENGINE_VERSION);
    expect(replayRecord(newer.record, newer.leaf, new ReplayBundles()).kind).toBe('differs');
  },
);

test('an older record under a bundle that is refused today is unrepeatable, and is not called changed', () => {
  const documents = [
    {
      kind: 'Profile',
      id: 'p',
      authority: { required: false },
      compare: 'trimmed',
      match: { system: 'erp' },
    },
  ];
  const digest = `sha256:${createHash('sha256').update(canonicalJson(documents)).digest('hex')}`;
  const bundles = new ReplayBundles();
  bundles.add(digest, documents);
  const older = recorded('4', digest);
  expect(replayRecord(older.record, older.leaf, bundles)).toEqual({ kind: 'unrepeatable', engine: '4' });
  const forged = { ...older.leaf, decision: 'allow' } as Leaf;
  expect(replayRecord(older.record, forged, bundles).kind).toBe('differs');
  const now = recorded(ENGINE_VERSION, digest);
  expect(replayRecord(now.record, now.leaf, bundles).kind).toBe('differs');
  const other = new ReplayBundles();
  other.add(digest, [...documents, { kind: 'Defaults' }]);
  expect(replayRecord(older.record, older.leaf, other).kind).toBe('differs');
});
