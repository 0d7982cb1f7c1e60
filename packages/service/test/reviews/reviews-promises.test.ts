/** What an approval is worth, and to whom: what callers, owner keys and policies can and cannot do to it. */
import { expect, test } from 'vitest';
import { check, type Reply } from '../ask.ts';
import { join, say } from '../people/people-kit.ts';
import { onBothStores, pack, REVIEWED, type ReviewKit } from './reviews-kit.ts';

const PERSON = { assurance: 'attested', review: true };
const NO = { verdict: 'reject', comment: 'not mine' } as const;

async function told(reply: Promise<Reply>): Promise<string> {
  const { status, body } = await reply;
  return `${status} ${body.error?.code ?? body.review?.state ?? body.decision}`;
}

const profile = (members: object) => ({ kind: 'Profile', id: 'p', match: { system: 'crm' }, ...members });

onBothStores((kitOf) => {
  async function under(...documents: readonly object[]): Promise<ReviewKit> {
    const kit = kitOf();
    await kit.applyPolicy(documents);
    // A review belongs to the running revision, so the check comes after it.
    kit.nowMs += 1_000;
    return kit;
  }

  test('a person the caller names may reject and cancel, not approve, and people see who is excluded', async () => {
    const kit = await under(pack({ approval: PERSON }));
    const { service } = kit;
    const [ada, bob] = [await join(service), await join(service)];
    const asked = async () => {
      const { decisionId } = await kit.pause();
      // Nobody sees the spaces, so they must not make it somebody else.
      return (await kit.open(decisionId, undefined, { onBehalfOf: ` ${ada.email.toUpperCase()} ` })).body
        .review;
    };
    const review = await asked();
    expect(review).not.toHaveProperty('excludedByCaller');
    expect(JSON.stringify(review)).not.toContain(ada.id);
    const seen = await kit.call('GET', `/v1/reviews/${review.id}`, bob.token);
    expect(seen.body.review.excludedByCaller).toEqual([{ id: ada.id, name: ada.name }]);
    expect(await told(say(service, ada, review))).toBe('403 self_review');
    expect(await told(say(service, ada, review, NO))).toBe('200 rejected');
    const other = await asked();
    expect(await told(kit.call('POST', `/v1/reviews/${other.id}/cancel`, ada.token, {}))).toBe(
      '200 cancelled',
    );
    const third = await asked();
    expect(await told(say(service, bob, third))).toBe('200 approved');
  });

  test('one key names one person on a review, and the name stays', async () => {
    const kit = await under(pack({ approval: REVIEWED }));
    const { decisionId } = await kit.pause();
    const ask = (onBehalfOf?: string) =>
      kit.open(decisionId, undefined, onBehalfOf === undefined ? {} : { onBehalfOf });
    expect(await told(ask())).toBe('201 open');
    expect(await told(ask('ada@example.com'))).toBe('200 open');
    expect(await told(ask('ADA@example.com'))).toBe('200 open');
    expect(await told(ask('bob@example.com'))).toBe('409 already_asked');
    const { body } = await ask();
    expect(body.review.askedBy).toMatchObject([{ onBehalfOf: 'ada@example.com' }]);
  });

  test('a live key cannot use up the comments of people', async () => {
    const kit = await under(pack({ approval: REVIEWED }));
    const { review } = await kit.opened();
    const comment = (key: string) =>
      kit.call('POST', `/v1/reviews/${review.id}/comments`, key, { text: 'now?' });
    let said = 0;
    while ((await comment(kit.service.developmentKey)).status === 201) said += 1;
    expect(said).toBe(50);
    expect(await told(comment(kit.service.developmentKey))).toBe('429 rate_limited');
    expect((await comment(kit.service.ownerKey)).status).toBe(201);
  });

  test('a rejected write comes back with its history, however it is spelled', async () => {
    const kit = await under(pack({ approval: REVIEWED }));
    const { intent, review } = await kit.opened({ objectRef: 'V-77', agentValue: 'DE89 3704' });
    expect(await told(kit.reject(review))).toBe('200 rejected');
    const spelt = [
      { system: 'CRM' },
      { field: 'EMAIL' },
      { objectRef: 'v-77\u200b' },
      { agentValue: 'de893704 ' },
      { operation: 'vendor.update' },
    ];
    for (const members of spelt) {
      const again = await kit.opened({ ...intent, ...members });
      const { body } = await kit.call('GET', `/v1/reviews/${again.review.id}`, kit.service.ownerKey);
      expect(body.review.earlier[0], JSON.stringify(members)).toMatchObject({
        id: review.id,
        state: 'rejected',
      });
    }
  });

  test('an approval ends with the owner key that gave it: for checks, replays and redemptions', async () => {
    const kit = await under(pack({ approval: REVIEWED }));
    const { service } = kit;
    const owner = await kit.newKey('owner');
    const [unused, used] = [await kit.opened(), await kit.opened()];
    for (const { review } of [unused, used])
      expect((await kit.approve(review, owner.secret)).status).toBe(200);
    const evidenceOf = async (id: string) => (await kit.read(id)).evidence;
    const headers = { 'idempotency-key': used.review.id };
    const evidence = await evidenceOf(used.review.id);
    const allowed = await kit.again(used.intent, evidence, { headers });
    expect(allowed.body.decision).toBe('allow');
    const good = await evidenceOf(unused.review.id);
    expect((await kit.call('DELETE', `/v1/keys/${owner.id}`, service.ownerKey)).status).toBe(204);
    expect((await kit.again(unused.intent, good)).body).toMatchObject({
      decision: 'pause',
      reason_code: 'CONTROL_EVIDENCE_UNTRUSTED',
    });
    expect(await kit.read(unused.review.id)).toMatchObject({ state: 'approved', because: 'disabled' });
    expect(await kit.read(unused.review.id)).not.toHaveProperty('evidence');
    expect(await told(kit.again(used.intent, evidence, { headers }))).toBe('409 idempotency_key_expired');
    const { decision_id: id, intentDigest } = allowed.body;
    const redeemed = kit.call('POST', `/v1/decisions/${id}/redeem`, service.developmentKey, { intentDigest });
    expect(await told(redeemed)).toBe('409 not_redeemable');
  });

  test('an approval ends when the key that its owner key was rotated into is revoked', async () => {
    const kit = await under(pack({ approval: REVIEWED }));
    const { ownerKey } = kit.service;
    const first = await kit.newKey('owner');
    const { review, intent } = await kit.opened();
    expect(await told(kit.approve(review, first.secret))).toBe('200 approved');
    const { evidence } = await kit.read(review.id);
    const second = (await kit.call('POST', `/v1/keys/${first.id}/rotate`, ownerKey, {})).body.key;
    const third = (await kit.call('POST', `/v1/keys/${second.id}/rotate`, ownerKey, {})).body;
    expect(await kit.read(review.id)).toHaveProperty('evidence');
    expect((await kit.call('DELETE', `/v1/keys/${third.key.id}`, ownerKey)).status).toBe(204);
    expect(await kit.read(review.id)).toMatchObject({ because: 'disabled' });
    expect((await kit.again(intent, evidence)).body.reason_code).toBe('CONTROL_EVIDENCE_UNTRUSTED');
  });

  test('revoking an owner key that was rotated leaves the approvals of its replacement', async () => {
    const kit = await under(pack({ approval: REVIEWED }));
    const { ownerKey } = kit.service;
    const first = await kit.newKey('owner');
    const second = (await kit.call('POST', `/v1/keys/${first.id}/rotate`, ownerKey, {})).body;
    const { review, intent } = await kit.opened();
    expect(await told(kit.approve(review, second.secret))).toBe('200 approved');
    expect((await kit.call('DELETE', `/v1/keys/${first.id}`, ownerKey)).status).toBe(204);
    const { evidence } = await kit.read(review.id);
    expect((await kit.again(intent, evidence)).body.decision).toBe('allow');
  });

  test('disabling somebody lists the keys that were created with a key they hold', async () => {
    const kit = await under(pack({ approval: REVIEWED }));
    const { ownerKey } = kit.service;
    const ada = await join(kit.service);
    const hers = await kit.call('POST', '/v1/keys', ownerKey, {
      kind: 'owner',
      name: 'hers',
      heldBy: ada.id,
    });
    const made = await kit.call('POST', '/v1/keys', hers.body.secret, { kind: 'live', name: 'made' });
    const { status, body } = await kit.call('DELETE', `/v1/people/${ada.id}`, ownerKey);
    expect([status, body.keys.map(({ id }: { id: string }) => id)]).toEqual([200, [made.body.key.id]]);
  });

  test('an approval does not count while the holder of its owner key is disabled', async () => {
    const kit = await under(pack({ approval: REVIEWED }));
    const { ownerKey } = kit.service;
    const ada = await join(kit.service);
    const made = await kit.call('POST', '/v1/keys', ownerKey, {
      kind: 'owner',
      name: 'hers',
      heldBy: ada.id,
    });
    const { review, intent } = await kit.opened();
    expect(await told(kit.approve(review, made.body.secret))).toBe('200 approved');
    const { evidence } = await kit.read(review.id);
    expect((await kit.call('DELETE', `/v1/people/${ada.id}`, ownerKey)).status).toBe(204);
    expect(await kit.read(review.id)).toMatchObject({ state: 'approved', because: 'disabled' });
    expect((await kit.again(intent, evidence)).body).toMatchObject({
      decision: 'pause',
      reason_code: 'CONTROL_EVIDENCE_UNTRUSTED',
    });
  });

  test('an open verdict ends with the owner key that gave it, and another owner key may give its own', async () => {
    const kit = await under(pack({ a: REVIEWED, b: PERSON }));
    const ada = await join(kit.service);
    const owner = await kit.newKey('owner');
    const { review } = await kit.opened({ requiredControls: ['a', 'b'] });
    expect(await told(kit.approve(review, owner.secret))).toBe('200 open');
    await kit.call('DELETE', `/v1/keys/${owner.id}`, kit.service.ownerKey);
    const only = { ...review, controls: [{ controlId: 'b' }] };
    expect(await told(kit.reject(review, kit.service.ownerKey))).not.toBe('409 already_voted');
    const next = await kit.opened({ requiredControls: ['a', 'b'] });
    expect(only.id).not.toBe(next.review.id);
    expect(await told(kit.approve(next.review))).toBe('200 open');
    expect(await told(say(kit.service, ada, next.review))).toBe('200 approved');
  });

  test('if a requester is required, a review without one is refused', async () => {
    const kit = await under(
      pack({ approval: REVIEWED }),
      profile({ requester: 'required', require: ['approval'] }),
    );
    const { decisionId } = await kit.pause({ field: undefined, operation: 'x' });
    const { status, body } = await kit.open(decisionId);
    expect([status, body.error.code]).toEqual([422, 'invalid_request']);
    expect(body.error.details[0].pointer).toBe('/onBehalfOf');
    expect(await told(kit.open(decisionId, undefined, { onBehalfOf: ' \t' }))).toBe('422 invalid_request');
    expect(await told(kit.open(decisionId, undefined, { onBehalfOf: 'ada@example.com' }))).toBe('201 open');
    expect(await told(kit.open(decisionId))).toBe('422 invalid_request');
  });

  test('if different people are required, one in both groups is not enough, and two are', async () => {
    const of = (group: string) => ({ assurance: 'attested', review: { groups: [group] } });
    const kit = await under(
      pack({ legal: of('legal'), finance: of('finance') }),
      profile({ require: ['legal', 'finance'], different: ['legal', 'finance'] }),
    );
    const { service } = kit;
    const groups = ['legal', 'finance'];
    const [ada, bob] = [await join(service, { groups }), await join(service, { groups })];
    const { intent, review } = await kit.opened({ field: undefined, operation: 'x', requiredControls: [] });
    expect(await told(say(service, ada, review))).toBe('200 open');
    expect(await told(say(service, ada, review))).toBe('200 open');
    expect(await told(say(service, bob, review))).toBe('200 approved');
    const { evidence } = await kit.read(review.id);
    expect(await told(kit.again(intent, evidence))).toBe('200 allow');
  });

  test('an approval confirms no more than it did when it was given', async () => {
    const members = { match: { system: 'crm', field: 'email' }, require: ['approval'] };
    const confirming = { required: true, confirmedBy: 'approval' };
    const values = { authorityFound: true, authorityValue: 'ada@old.example.com', requiredControls: [] };
    const kit = await under(pack({ approval: REVIEWED }), profile({ ...members, writePolicy: 'observe' }));
    const paused = await kit.pause({
      ...values,
      requiredControls: ['approval'],
      authorityValue: 'ada@example.com',
    });
    const { review } = (await kit.open(paused.decisionId)).body;
    expect(await told(kit.approve(review))).toBe('200 approved');
    await under(pack({ approval: REVIEWED }), profile({ ...members, authority: confirming }));
    const mismatch = await kit.opened(values);
    expect(
      (await kit.call('GET', `/v1/reviews/${mismatch.review.id}`, kit.service.ownerKey)).body.review,
    ).toMatchObject({
      confirms: 'approval',
    });
    await kit.approve(mismatch.review);
    const { evidence } = await kit.read(mismatch.review.id);
    expect(await told(kit.again(mismatch.intent, evidence))).toBe('200 allow');
  });

  test('an allow is redeemed only by a key that could have used its approvals', async () => {
    const kit = await under(pack({ approval: PERSON }));
    const { service } = kit;
    const ada = await join(service);
    const own = await kit.newKey('live', { heldBy: ada.id });
    const asking = await kit.newKey('live');
    const { intent, review } = await kit.opened({}, asking.secret);
    expect(await told(say(service, ada, review))).toBe('200 approved');
    const { evidence } = await kit.read(review.id, asking.secret);
    const { body } = await kit.again(intent, evidence, { key: asking.secret });
    const { decision_id: id, intentDigest } = body;
    const redeem = (key: string) => kit.call('POST', `/v1/decisions/${id}/redeem`, key, { intentDigest });
    expect(await told(redeem(own.secret))).toBe('403 insufficient_scope');
    expect((await redeem(service.liveKey)).body.redeemed).toBe(true);
  });

  test('the reviewer sees that this very write ran minutes ago; the caller does not', async () => {
    const kit = await under(pack({ approval: REVIEWED }));
    const { service } = kit;
    const { intent, evidence } = await kit.approved({ agentValue: 'once' });
    const { body } = await kit.again(intent, evidence);
    const { decision_id: id, intentDigest } = body;
    await kit.call('POST', `/v1/decisions/${id}/redeem`, service.developmentKey, { intentDigest });
    kit.nowMs += 120_000;
    const again = await kit.opened({ ...intent, agentValue: 'ONCE', metadata: { try: 2 } });
    const seen = (await kit.call('GET', `/v1/reviews/${again.review.id}`, service.ownerKey)).body.review;
    expect(seen.allowedLately).toMatchObject([{ decisionId: id, redeemedAt: expect.any(String) }]);
    expect(again.review).not.toHaveProperty('allowedLately');
    const other = await kit.opened({ ...intent, agentValue: 'twice' });
    const without = await kit.call('GET', `/v1/reviews/${other.review.id}`, service.ownerKey);
    expect(without.body.review.allowedLately).toEqual([]);
  });

  test('only a review that can succeed is offered: once approved, the same write with the same evidence is allowed', async () => {
    const match = { system: 'crm', objectType: 'customer', field: 'email' };
    const kit = await under(
      pack({ approval: REVIEWED }),
      profile({ match, require: ['approval'], authority: { required: false } }),
    );
    const { intent, review } = await kit.opened({ requiredControls: [] });
    expect(review.controls).toMatchObject([{ controlId: 'approval' }]);
    await kit.approve(review);
    const { evidence } = await kit.read(review.id);
    expect(await told(kit.again(intent, evidence))).toBe('200 allow');
    await under(pack({ approval: REVIEWED }), profile({ match, require: ['approval'] }));
    const { body } = await check(kit.service, { ...intent, objectRef: 'asks for the values' });
    expect([body.decision, body.review]).toEqual(['pause', undefined]);
  });

  // Last, because it revokes the owner keys that the others use.
  test('nobody locks a workspace out: the owner key that must remain is not one whose holder is disabled', async () => {
    const kit = await under(pack({ approval: REVIEWED }));
    const { ownerKey } = kit.service;
    const [ada, eve] = [await join(kit.service), await join(kit.service)];
    const held = (by: string) =>
      kit.call('POST', '/v1/keys', ownerKey, { kind: 'owner', name: 'o', heldBy: by });
    const [hers, other] = [(await held(ada.id)).body, (await held(eve.id)).body];
    await kit.call('DELETE', `/v1/people/${ada.id}`, ownerKey);
    const { keys } = (await kit.call('GET', '/v1/keys', other.secret)).body;
    const lasting = keys.filter(
      (key: { kind: string; id: string; revokedAt: string | null; expiresAt: string | null }) =>
        key.kind === 'owner' && key.revokedAt === null && key.expiresAt === null,
    );
    for (const { id } of lasting)
      if (id !== hers.key.id && id !== other.key.id) await kit.call('DELETE', `/v1/keys/${id}`, other.secret);
    expect(await told(kit.call('DELETE', `/v1/keys/${other.key.id}`, other.secret))).toBe(
      '409 last_owner_key',
    );
    expect(await told(kit.call('DELETE', `/v1/people/${eve.id}`, other.secret))).toBe('409 last_owner_key');
    expect((await kit.call('GET', '/v1/keys', other.secret)).status).toBe(200);
  });
});
