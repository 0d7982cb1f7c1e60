import { expect, test } from 'vitest';
import { evidenceKind } from './evidence-facts.ts';

const item = { controlId: 'approval', source: 'desk', result: 'PASS' };
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('an item without a signature counts as claimed', () => {
  expect(evidenceKind(item)).toEqual({ kind: 'claimed' });
});

test('a signed item names its key and expiry', () => {
  const attestation = `${part({ kid: 'k1' })}.${part({ exp: 1_763_251_200 })}.xyz`;
  expect(evidenceKind({ ...item, attestation })).toEqual({
    kind: 'signed',
    kid: 'k1',
    expiresAt: '2025-11-16T00:00:00.000Z',
  });
});

test('an unreadable signature shows no facts, and an absurd time does not throw', () => {
  const nothing = { kind: 'signed', kid: null, expiresAt: null };
  for (const attestation of ['', '..', 'a.b.c', `${part([])}.${part({ exp: 1e300 })}.x`])
    expect(evidenceKind({ ...item, attestation })).toEqual(nothing);
});

test('an item of the review desk leads to its review', () => {
  const evidenceRef = 'urn:writecheck:review:rev_1';
  expect(evidenceKind({ ...item, source: 'review-desk', evidenceRef })).toEqual({
    kind: 'review',
    reviewId: 'rev_1',
  });
});
