import { decisionTexts, intentDigest } from '@writecheck/contract';
import { decide, EMPTY_SNAPSHOT_BEFORE_REVIEWS, ENGINE_VERSION } from '@writecheck/engine';
import { type Leaf, recordAround, recordBytes } from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { ReplayBundles, replayRecord } from './replay-record.ts';

test.each(['1', '2'])(
  'a pause of engine %s before any bundle is decided again without a review',
  (engine) => {
    const intent = { system: 'erp', operation: 'refund.create', requiredControls: ['approval'] };
    const timestamp = '2026-11-15T12:00:00.000Z';
    const decision = decide(intent, [], EMPTY_SNAPSHOT_BEFORE_REVIEWS, Date.parse(timestamp));
    expect(decision.review).toBeUndefined();
    const about = {
      workspace: 'ws_1',
      keyId: 'key_1',
      keyKind: 'development' as const,
      timestamp,
      policyRef: null,
      intentDigest: intentDigest(intent),
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
      decision,
    };
    const pieces = recordAround(fields, decisionTexts(decision), Buffer.from(JSON.stringify(intent)));
    const leaf = {
      ...about,
      log: 'l',
      decision_id: 'dec_1',
      audit_id: 'aud_1',
      validUntil: null,
      recordDigest: '',
      decision: 'pause',
      evaluatedDecision: 'pause',
      reason_code: decision.reasonCode,
    } as Leaf;
    const record = Buffer.from(recordBytes(pieces));
    expect(replayRecord(record, leaf, new ReplayBundles())).toEqual({ kind: 'same' });
    const newer = Buffer.from(
      record.toString().replace(`"engine":"${engine}"`, `"engine":"${ENGINE_VERSION}"`),
    );
    expect(replayRecord(newer, leaf, new ReplayBundles()).kind).toBe('differs');
  },
);
