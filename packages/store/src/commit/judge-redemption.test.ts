import { expect, test } from 'vitest';
import type { Redemption } from '../port.ts';
import { judgeRedemption, type KnownAtRedemption } from './judge-redemption.ts';

const REDEMPTION: Redemption = {
  workspace: 'ws',
  decisionId: 'dec',
  keyId: 'key',
  keyKind: 'live',
  atMs: 100,
  idempotency: { key: 'k', requestDigest: 'd', expiresAtMs: 1_000 },
  intentDigest: 'sha256:0',
  decidedAtMs: 50,
  answer: { expiresAtMs: 2_000, keptUntilMs: 9_000 },
  policyRef: 'sha256:p',
  restsOn: [],
  validUntilMs: 101,
  freezeNumber: 0,
  isFrozen: false,
};
const KNOWN: KnownAtRedemption = {
  claimedFor: null,
  before: null,
  policy: { digest: 'sha256:p', createdAtMs: 50 },
  isOver: false,
  isEvidenceRevoked: false,
};

test('a redemption without an obstacle may proceed', () => {
  expect(judgeRedemption(REDEMPTION, KNOWN)).toBeNull();
  expect(judgeRedemption(REDEMPTION, { ...KNOWN, claimedFor: 'd dec' })).toBeNull();
});

test.each([
  ['an outcome that is known', {}, { isOver: true }, 'over'],
  ['a freeze', { isFrozen: true }, {}, 'frozen'],
  ['its end', { validUntilMs: 100 }, {}, 'expired'],
  ['an end that is not a number', { validUntilMs: Number.NaN }, {}, 'expired'],
  ['a time that is not a number', { atMs: Number.NaN }, {}, 'expired'],
  ['another policy', {}, { policy: { digest: 'sha256:q', createdAtMs: 1 } }, 'policy_changed'],
  [
    'the same policy, applied again',
    {},
    { policy: { digest: 'sha256:p', createdAtMs: 51 } },
    'policy_changed',
  ],
  ['no policy', {}, { policy: null }, 'policy_changed'],
  ['a first policy', { policyRef: null }, {}, 'policy_changed'],
  ['revoked evidence', {}, { isEvidenceRevoked: true }, 'evidence_revoked'],
  ['a key that a check claimed', {}, { claimedFor: 'd' }, 'key_reused'],
  ['a key of another redemption', {}, { claimedFor: 'd other' }, 'key_reused'],
] as const)('%s refuses it', (_, redemption, known, kind) => {
  expect(judgeRedemption({ ...REDEMPTION, ...redemption }, { ...KNOWN, ...known })).toEqual({ kind });
});

test.each([
  ['the same request again is answered with the first time', 'k d', 'same'],
  ['another request under the same key reuses the key', 'k e', 'key_reused'],
  ['another key comes too late', 'other d', 'already_redeemed'],
  ['a redemption without a key is never repeated', null, 'already_redeemed'],
])('%s, even after its end', (_, keptKey, kind) => {
  const outcome = judgeRedemption(
    { ...REDEMPTION, validUntilMs: 0 },
    { ...KNOWN, before: { redeemedAtMs: 99, keptKey } },
  );
  expect(outcome).toEqual(kind === 'same' ? { kind, redeemedAtMs: 99 } : { kind });
  const without = { ...REDEMPTION, idempotency: null };
  expect(judgeRedemption(without, { ...KNOWN, before: { redeemedAtMs: 99, keptKey } })).toEqual({
    kind: 'already_redeemed',
  });
});
