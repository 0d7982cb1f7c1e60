/** Stored responses and redemptions belong to the key that asked: no other key gets an allow that it could not have got itself. */
import { expect, test } from 'vitest';
import { newMember } from '../member-kit.ts';
import { decidingOnBothStores, pack, type ReviewKit } from '../reviews/reviews-kit.ts';

const BY_A_PERSON = pack({ approval: { assurance: 'attested', review: { identity: 'person' } } });

decidingOnBothStores((kit) => {
  const { newKey, again, call } = {
    newKey: (...args: Parameters<ReviewKit['newKey']>) => kit().newKey(...args),
    again: (...args: Parameters<ReviewKit['again']>) => kit().again(...args),
    call: (...args: Parameters<ReviewKit['call']>) => kit().call(...args),
  };
  const redeem = (body: { readonly decision_id: string; readonly intentDigest: string }, key: string) =>
    call('POST', `/v1/decisions/${body.decision_id}/redeem`, key, { intentDigest: body.intentDigest });

  /** A live key, another live key that the approver holds, and an allow that uses the approver's approval. */
  async function approvedByHolder(idempotencyKey: string) {
    await kit().applyPolicy([BY_A_PERSON]);
    const approver = await newMember(kit().service, ['reviewer'], kit().nowMs);
    const asking = await newKey('live');
    const held = await newKey('live', { heldBy: approver.id });
    const opened = await kit().opened({}, asking.secret);
    expect((await kit().approve(opened.review, approver.token)).status).toBe(200);
    const { evidence } = await kit().read(opened.review.id, asking.secret);
    const ask = (key: string) =>
      again(opened.intent, evidence, { key, headers: { 'idempotency-key': idempotencyKey } });
    const allowed = await ask(asking.secret);
    expect(allowed.body.decision).toBe('allow');
    return { approver, asking, held, ask, allowed: allowed.body };
  }

  test('an Idempotency-Key returns a stored allow only to the key that asked', async () => {
    const { asking, held, ask, allowed } = await approvedByHolder('bound-1');
    expect((await ask(asking.secret)).body.decision_id).toBe(allowed.decision_id);
    const other = await ask(held.secret);
    expect([other.status, other.body.decision]).toEqual([200, 'pause']);
    expect(other.headers.get('idempotency-replayed')).toBeNull();
    const development = await ask(kit().service.developmentKey);
    expect([development.status, development.body.decision]).toEqual([200, 'pause']);
  });

  test('a key and the keys of its rotation are one scope', async () => {
    const first = await newKey('live');
    const paused = await kit().pause();
    const ask = (key: string, value = 'a') =>
      again({ ...paused.intent, agentValue: value }, [], { key, headers: { 'idempotency-key': 'lineage' } });
    const before = await ask(first.secret);
    const rotated = await call('POST', `/v1/keys/${first.id}/rotate`, kit().service.ownerKey, {});
    const twice = await call('POST', `/v1/keys/${rotated.body.key.id}/rotate`, kit().service.ownerKey, {});
    for (const key of [rotated.body.secret, twice.body.secret, first.secret]) {
      expect((await ask(key)).body.decision_id).toBe(before.body.decision_id);
      expect((await ask(key, 'b')).body.error.code).toBe('idempotency_key_reused');
    }
    const stranger = await newKey('live');
    expect((await ask(stranger.secret, 'b')).status).toBe(200);
  });

  test('a key redeems no decision that rests on an approval of the person who holds it', async () => {
    const { asking, held, allowed } = await approvedByHolder('bound-2');
    const refused = await redeem(allowed, held.secret);
    expect([refused.status, refused.body.error.code]).toEqual([403, 'insufficient_scope']);
    expect((await redeem(allowed, asking.secret)).status).toBe(200);
  });

  test('a key that could have used the approval redeems the decision', async () => {
    const { allowed } = await approvedByHolder('bound-3');
    const third = await newKey('live');
    expect((await redeem(allowed, third.secret)).status).toBe(200);
  });

  test('a key that replaced the one of the approver is still theirs', async () => {
    const { held, allowed } = await approvedByHolder('bound-4');
    const rotated = await call('POST', `/v1/keys/${held.id}/rotate`, kit().service.ownerKey, {});
    expect((await redeem(allowed, rotated.body.secret)).status).toBe(403);
  });

  test('the Idempotency-Key of a redemption belongs to one decision, and to the key that redeemed it', async () => {
    const key = await newKey('live');
    const other = await newKey('live');
    const first = await approvedByHolder('bound-5');
    const second = await approvedByHolder('bound-6');
    const redeemAs = (body: typeof first.allowed, secret: string) =>
      fetch(`${kit().service.url}/v1/decisions/${body.decision_id}/redeem`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/json',
          'idempotency-key': 'once',
        },
        body: JSON.stringify({ intentDigest: body.intentDigest }),
      }).then(async (response) => [response.status, ((await response.json()) as Reply).error?.code]);
    expect(await redeemAs(first.allowed, key.secret)).toEqual([200, undefined]);
    expect(await redeemAs(first.allowed, key.secret)).toEqual([200, undefined]);
    expect(await redeemAs(second.allowed, key.secret)).toEqual([422, 'idempotency_key_reused']);
    expect(await redeemAs(first.allowed, other.secret)).toEqual([409, 'already_redeemed']);
    expect(await redeemAs(second.allowed, other.secret)).toEqual([200, undefined]);
  });
});

interface Reply {
  readonly error?: { readonly code: string };
}
