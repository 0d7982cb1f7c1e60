/** What an approval is worth at a check, a replay and a redemption, on both stores. */

import { HOUR_MS } from '@writecheck/contract';
import { type Store, StoreUnavailable } from '@writecheck/store/port';
import { expect, test } from 'vitest';
import { onServer } from '../../../store/test/test-postgres.ts';
import { check, checkAll } from '../ask.ts';
import { join, say } from '../people/people-kit.ts';
import { startTestService } from '../start-service.ts';
import { decidingOnBothStores, pack, REVIEWED } from './reviews-kit.ts';

const UNTRUSTED = { decision: 'pause', reason_code: 'CONTROL_EVIDENCE_UNTRUSTED' };

/** The call of the store that fails, if any. */
let failing: keyof Store | null = null;
const breakable = (store: Store): Store =>
  new Proxy(store, {
    get: (target, name: keyof Store) =>
      name === failing
        ? () => Promise.reject(new StoreUnavailable('busy', 'the database is locked'))
        : target[name],
  });

/** Gets no notice of a change, like a process whose notices are late. */
const deaf = (store: Store): Store => ({ ...store, watch: () => () => undefined });

decidingOnBothStores((kitNow) => {
  test('if the approval, its people or their keys cannot be looked up, the check fails and uses nothing up', async () => {
    const kit = kitNow();
    const { service } = kit;
    const ada = await join(service);
    const first = await kit.newKey('development');
    const { body } = await kit.call('POST', `/v1/keys/${first.id}/rotate`, service.ownerKey, {});
    const key = body.secret;
    const { intent, review } = await kit.opened({}, key);
    expect((await say(service, ada, review)).body.review.state).toBe('approved');
    const { evidence } = await kit.read(review.id, key);
    for (const call of ['reviewsAtCheck', 'findPeople', 'listKeys'] as const) {
      failing = call;
      const failed = await kit.again(intent, evidence, { key });
      failing = null;
      expect([failed.status, failed.body.error?.code, failed.body.allowed], call).toEqual([
        503,
        'store_unavailable',
        false,
      ]);
      expect(failed.body).not.toHaveProperty('decision');
    }
    expect((await kit.again(intent, evidence, { key })).body.decision).toBe('allow');
  });

  test('if looking up the approval takes too long, the check fails and uses nothing up', async (context) => {
    const kit = kitNow();
    if (kit.databaseUrl === null) return context.skip();
    const { intent, evidence } = await kit.approved();
    await onServer(kit.databaseUrl, async (client) => {
      await client.query('BEGIN; LOCK TABLE writecheck.review IN ACCESS EXCLUSIVE MODE');
      const failed = await kit.again(intent, evidence);
      expect([failed.status, failed.body.error?.code]).toEqual([503, 'store_unavailable']);
      await client.query('ROLLBACK');
    });
    expect((await kit.again(intent, evidence)).body.decision).toBe('allow');
  });

  test('an approval is used once', async () => {
    const kit = kitNow();
    const { intent, evidence } = await kit.approved();
    expect((await kit.again(intent, evidence)).body.decision).toBe('allow');
    expect((await kit.again(intent, evidence)).body).toMatchObject(UNTRUSTED);
  });

  test('it is used as a whole, whichever of its items were sent', async () => {
    const kit = kitNow();
    const { intent, evidence } = await kit.approved({ requiredControls: ['a', 'b'] });
    expect(evidence).toHaveLength(2);
    const partly = [evidence[0]!, { controlId: 'b', source: 'desk', result: 'PASS' }];
    expect((await kit.again(intent, partly)).body.decision).toBe('allow');
    expect((await kit.again(intent, evidence)).body).toMatchObject(UNTRUSTED);
  });

  test('a pause uses nothing up', async () => {
    const kit = kitNow();
    const { intent, evidence } = await kit.approved({ requiredControls: ['a', 'b'] });
    expect((await kit.again(intent, [evidence[0]!])).body.decision).toBe('pause');
    expect((await kit.again(intent, evidence)).body.decision).toBe('allow');
  });

  test('a lost response is replayed under the same idempotency key, until the approval is taken back', async () => {
    const kit = kitNow();
    const { intent, evidence, review } = await kit.approved();
    const headers = { 'idempotency-key': review.id };
    const first = await kit.again(intent, evidence, { headers });
    expect(first.body.decision).toBe('allow');
    const again = await kit.again(intent, evidence, { headers });
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
    await kit.call('POST', `/v1/reviews/${review.id}/cancel`, kit.service.ownerKey);
    const late = await kit.again(intent, evidence, { headers });
    expect([late.status, late.body.error.code]).toEqual([409, 'idempotency_key_expired']);
  });

  test('an allow that rests on a withdrawn approval cannot be redeemed', async () => {
    const kit = kitNow();
    const { intent, evidence, review, digest } = await kit.approved();
    const { body } = await kit.again(intent, evidence);
    await kit.call('POST', `/v1/reviews/${review.id}/cancel`, kit.service.ownerKey);
    const redeemed = await kit.call(
      'POST',
      `/v1/decisions/${body.decision_id}/redeem`,
      kit.service.developmentKey,
      { intentDigest: digest },
    );
    expect([redeemed.status, redeemed.body.error.code]).toEqual([409, 'not_redeemable']);
  });

  test('one allow uses it as a whole', async () => {
    const kit = kitNow();
    const { intent, evidence } = await kit.approved({ requiredControls: ['a', 'b'] });
    const filled = [evidence[1]!, { controlId: 'a', source: 'desk', result: 'PASS' }];
    const checks = [
      { ...intent, controlEvidence: evidence },
      { ...intent, controlEvidence: filled },
      { ...intent, controlEvidence: evidence },
    ];
    const replies = await checkAll(kit.service.url, kit.service.developmentKey, checks);
    expect(replies.map(({ body }) => body.decision).sort()).toEqual(['allow', 'pause', 'pause']);
  });

  test('of many concurrent checks one is allowed', async () => {
    const kit = kitNow();
    const { intent, evidence } = await kit.approved();
    const replies = await Promise.all(Array.from({ length: 12 }, () => kit.again(intent, evidence)));
    const allowed = replies.filter(({ body }) => body.decision === 'allow');
    expect(allowed).toHaveLength(1);
  });

  test('it is worthless for any other value, object, field or authority', async () => {
    const kit = kitNow();
    const { intent, evidence } = await kit.approved();
    const authority = { authorityFound: true, authorityValue: 'ada@example.com' };
    for (const other of [
      { agentValue: 'eve@example.com' },
      { objectRef: 'C-x' },
      { field: 'name' },
      authority,
    ]) {
      expect((await kit.again({ ...intent, ...other }, evidence)).body, JSON.stringify(other)).toMatchObject(
        UNTRUSTED,
      );
    }
    expect((await kit.again(intent, evidence)).body.decision).toBe('allow');
  });

  test('items that contradict the review are untrusted; times may be omitted', async () => {
    const kit = kitNow();
    const { intent, evidence, review } = await kit.approved();
    const [item] = evidence as [Record<string, string>];
    const { checkedAt: _checked, expiresAt: _expires, ...bare } = item;
    for (const wrong of [
      { ...item, checkedAt: new Date(kit.nowMs - 1).toISOString() },
      { ...item, expiresAt: new Date(kit.nowMs + 9 * HOUR_MS).toISOString() },
      { ...item, evidenceRef: `urn:writecheck:review:rev_${'0'.repeat(32)}` },
      { ...item, evidenceRef: review.id },
      { controlId: 'approval', source: 'review-desk', result: 'PASS' },
    ]) {
      expect((await kit.again(intent, [wrong])).body, JSON.stringify(wrong)).toMatchObject(UNTRUSTED);
    }
    expect((await kit.again(intent, [bare])).body.decision).toBe('allow');
  });

  test('open, rejected, cancelled and expired approvals are worthless', async () => {
    const kit = kitNow();
    const item = (id: string) => [
      {
        controlId: 'approval',
        source: 'review-desk',
        result: 'PASS',
        evidenceRef: `urn:writecheck:review:${id}`,
      },
    ];
    const open = await kit.opened();
    expect((await kit.again(open.intent, item(open.review.id))).body).toMatchObject(UNTRUSTED);
    await kit.reject(open.review);
    expect((await kit.again(open.intent, item(open.review.id))).body).toMatchObject(UNTRUSTED);
    const cancelled = await kit.approved();
    await kit.call('POST', `/v1/reviews/${cancelled.review.id}/cancel`, kit.service.ownerKey);
    expect((await kit.again(cancelled.intent, cancelled.evidence)).body).toMatchObject(UNTRUSTED);
    const late = await kit.approved();
    kit.nowMs = Date.parse(late.review.validUntil);
    expect((await kit.again(late.intent, late.evidence)).body).toMatchObject(UNTRUSTED);
    expect(await kit.read(late.review.id)).toMatchObject({ state: 'approved', because: 'run_out' });
  });

  test('a rejected write gets no new review the same day, an expired one does', async () => {
    const kit = kitNow();
    const { decisionId, review } = await kit.opened();
    await kit.reject(review);
    const again = await kit.open(decisionId);
    expect([again.status, again.body.review.id, again.body.review.state]).toEqual([
      200,
      review.id,
      'rejected',
    ]);
  });

  test('requirements are reported without recording or using anything', async () => {
    const kit = kitNow();
    const { intent, evidence, review } = await kit.approved();
    const ofUsage = async () => (await kit.call('GET', '/v1/usage', kit.service.developmentKey)).body.used;
    const before = await ofUsage();
    const tell = (key: string, json: object) => kit.call('POST', '/v1/requirements', key, json);
    const without = await tell(kit.service.developmentKey, intent);
    expect(without.body).toMatchObject({
      requirements: [{ controlId: 'approval', status: 'missing', review: { identity: 'any' } }],
      evaluated: { decision: 'pause' },
    });
    const withIt = await tell(kit.service.developmentKey, { ...intent, controlEvidence: evidence });
    expect(withIt.body).toMatchObject({
      requirements: [{ status: 'satisfied' }],
      evaluated: { decision: 'allow' },
      remediation: [],
    });
    expect(withIt.body).not.toHaveProperty('decision');
    const asLive = await tell(kit.service.ownerKey, { ...intent, controlEvidence: evidence });
    expect(asLive.body.requirements[0].status).toBe('untrusted');
    expect(await ofUsage()).toBe(before);
    expect(await kit.read(review.id)).not.toHaveProperty('because');
    const scoped = await kit.newKey('development', { allowedSystems: ['erp'] });
    expect((await tell(scoped.secret, intent)).body.error.code).toBe('insufficient_scope');
    expect((await tell(kit.service.ownerKey, { system: 5 })).body.error.code).toBe('invalid_intent');
  });

  // The last tests: a bundle exists from here on.
  test('an approval under an old rule never counts, even in a process that does not know the new policy yet', async () => {
    const kit = kitNow();
    const { databaseUrl, service } = kit;
    const rule = (holdsFor: string) => [
      pack({ approval: { ...REVIEWED, review: { identity: 'any', holdsFor } } }),
    ];
    await kit.applyPolicy(rule('1h'));
    const other = await startTestService({
      clock: () => kit.nowMs,
      folder: service.folder,
      settings: databaseUrl === null ? {} : { databaseUrl },
      throughStore: deaf,
    });
    try {
      const checkThere = async (intent: object, evidence: readonly object[]) =>
        (await check(other, { ...intent, controlEvidence: evidence }, { key: service.developmentKey })).body;
      const { intent, evidence } = await kit.approved();
      expect((await checkThere(intent, [])).decision).toBe('pause');
      await kit.applyPolicy(rule('2h'));
      expect(await checkThere(intent, evidence)).toMatchObject(UNTRUSTED);
      const again = await kit.approved();
      await kit.applyPolicy(rule('1h'));
      expect(await checkThere(again.intent, again.evidence)).toMatchObject(UNTRUSTED);
    } finally {
      await other.stop();
    }
  });

  test('a max age counts as well, and an observed control uses nothing up', async () => {
    const kit = kitNow();
    const observed = { kind: 'Profile', id: 'p', match: { system: 'crm' }, require: ['approval'] };
    await kit.applyPolicy([
      pack({ approval: { ...REVIEWED, maxAge: '10m' }, note: REVIEWED }),
      { ...observed, writePolicy: 'observe' },
    ]);
    const old = await kit.approved();
    kit.nowMs += 10 * 60_000 + 1;
    expect((await kit.again(old.intent, old.evidence)).body.reason_code).toBe('CONTROL_EVIDENCE_STALE');
    expect(await kit.read(old.review.id)).toMatchObject({ state: 'approved', because: 'run_out' });

    const both = await kit.approved({ requiredControls: ['approval', 'note'] });
    const plain = {
      ...both.intent,
      requiredControls: ['other'],
      controlEvidence: [...both.evidence, { controlId: 'other', source: 'desk', result: 'PASS' }],
    };
    const watched = await kit.call('POST', '/v1/check-write', kit.service.developmentKey, plain);
    expect(watched.body).toMatchObject({ decision: 'allow', evaluatedDecision: 'allow' });
    expect((await kit.again(both.intent, both.evidence)).body.decision).toBe('allow');
  });
}, breakable);
