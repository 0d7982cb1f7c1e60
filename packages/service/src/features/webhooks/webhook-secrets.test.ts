import { hkdfSync } from 'node:crypto';
import { DAY_MS } from '@writecheck/contract';
import { expect, test } from 'vitest';
import { newSecret, type Sealed, seal, secretOf, shownSecret, signedHeaders } from './webhook-secrets.ts';

const keyOf = (key: string) => (purpose: string) => new Uint8Array(hkdfSync('sha256', key, '', purpose, 32));
const derive = keyOf('one');

function webhook(changes: Partial<Sealed> = {}): Sealed {
  const unsealed = { signer: 'line', sealed: '', sealedBefore: null };
  return { ...unsealed, id: 'whk_1', rotation: 1, rotatedAtMs: null, ...changes };
}

test('secrets are random, and only the key, the webhook and the rotation that they were sealed for open them', () => {
  const secret = newSecret();
  expect(shownSecret(newSecret())).not.toBe(shownSecret(secret));
  const sealed = seal(derive, secret, 'whk_1', 1);
  expect(secretOf(derive, webhook({ sealed }))).toEqual(secret);
  expect(seal(derive, secret, 'whk_1', 1)).not.toBe(sealed);
  expect(secretOf(keyOf('two'), webhook({ sealed }))).toBeNull();
  expect(secretOf(derive, webhook({ sealed, id: 'whk_2' }))).toBeNull();
  expect(secretOf(derive, webhook({ sealed, rotation: 2 }))).toBeNull();
});

test('a sealed secret that was changed at any byte, cut or made up does not open, and nothing is signed with it', () => {
  const sealed = Buffer.from(seal(derive, newSecret(), 'whk_1', 1), 'base64');
  const wrong: Uint8Array[] = [Buffer.alloc(0), sealed.subarray(1), sealed.subarray(0, -1)];
  for (let at = 0; at < sealed.length; at += 1)
    wrong.push(sealed.map((byte, i) => (i === at ? byte ^ 1 : byte)));
  for (const bytes of wrong) {
    const changed = webhook({ sealed: Buffer.from(bytes).toString('base64') });
    expect(secretOf(derive, changed)).toBeNull();
    expect(signedHeaders(derive, changed, { id: 'msg_1', body: '{}' }, 0)).toBeNull();
  }
});

test('the old secret signs until 24 hours after the rotation, and not at that moment', () => {
  const sealed = seal(derive, newSecret(), 'whk_1', 1);
  const sealedBefore = seal(derive, newSecret(), 'whk_1', 0);
  const count = (nowMs: number, rotated: Sealed) =>
    signedHeaders(derive, rotated, { id: 'msg_1', body: '{}' }, nowMs)!['webhook-signature']!.split(' ')
      .length;
  const rotated = webhook({ sealed, sealedBefore, rotatedAtMs: 1_000 });
  expect(count(1_000 + DAY_MS - 1, rotated)).toBe(2);
  expect(count(1_000 + DAY_MS, rotated)).toBe(1);
  // An unreadable secret stops nothing, and one without the time of its rotation does not sign.
  expect(count(1_000, { ...rotated, sealedBefore: sealed })).toBe(1);
  expect(count(1_000, { ...rotated, rotatedAtMs: null })).toBe(1);
});
