/** A freeze stops exactly what it names, immediately and in every process, until somebody lifts it. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { erase } from '../../../store/test/erase.ts';
import { ask } from '../ask.ts';
import { roundsUntil } from '../rounds-until.ts';
import { calls, type Stoppable, startOn, WRITE } from './freezes-kit.ts';

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (store) => {
  let stoppable: Stoppable;
  let call: ReturnType<typeof calls>;
  beforeAll(async () => {
    stoppable = await startOn(store);
    call = calls(stoppable);
  });
  afterAll(() => stoppable.stop());
  const active = async (): Promise<readonly { readonly createdBy: object }[]> =>
    (await call.get('/v1/freezes')).body.freezes;
  afterEach(async () => {
    for (let [next] = await active(); next !== undefined; [next] = await active())
      await ask(`${stoppable.services[0]!.url}/v1/freezes/lift`, {
        key: stoppable.ownerKey,
        json: { createdBy: next.createdBy, reason: 'it is over' },
      });
  });

  test('a check after the 201 pauses with the given reason, and is allowed again once the freeze is lifted', async () => {
    expect((await call.check()).body.decision).toBe('allow');
    const { status, body } = await call.freeze({ reason: 'the agent went wrong' });
    expect(status).toBe(201);
    expect(body.freeze).toEqual({
      id: expect.stringMatching(/^frz_[0-9a-f]{32}$/),
      number: expect.any(Number),
      scope: {},
      reason: 'the agent went wrong',
      createdAt: expect.any(String),
      createdBy: { kind: 'owner_key', id: expect.stringMatching(/^key_/) },
      until: null,
      liftedAt: null,
      liftedBy: null,
      liftReason: null,
    });
    for (let replica = 0; replica < 2; replica += 1) {
      const { body: decided } = await call.check();
      expect(decided).toMatchObject({
        decision: 'pause',
        reason_code: 'frozen',
        reason: 'the agent went wrong',
        enforced: true,
        failClosed: true,
      });
      expect(decided.review).toBeUndefined();
      expect(decided.remediation[0]).toMatchObject({
        gate: 'freeze',
        freezeId: body.freeze.id,
        action: 'operator',
      });
    }
    const lifted = await call.lift(body.freeze.id);
    expect(lifted.body.freeze).toMatchObject({ liftReason: 'it is over', liftedBy: body.freeze.createdBy });
    expect((await call.lift(body.freeze.id)).text).toBe(lifted.text);
    for (let replica = 0; replica < 2; replica += 1) expect((await call.check()).body.decision).toBe('allow');
  });

  test.each([
    ['another system', { system: 'erp' }, 'allow'],
    ['a glob in another case', { system: 'CR*' }, 'pause'],
    ['one of a list', { objectType: ['vendor', 'customer'] }, 'pause'],
    ['another workflow', { workflowId: 'other' }, 'allow'],
    ['what the intent leaves out', { operation: 'x.y' }, 'pause'],
    ['all members must match', { system: 'crm', field: 'phone' }, 'allow'],
  ])('scope: %s', async (_, scope, decision) => {
    expect((await call.freeze({ reason: 'stop', scope })).status).toBe(201);
    expect((await call.check()).body.decision).toBe(decision);
  });

  test('a freeze of a key stops that key and those it is rotated into, and no other', async () => {
    const made = await ask(`${stoppable.services[0]!.url}/v1/keys`, {
      key: stoppable.ownerKey,
      json: { kind: 'live', name: 'agent' },
    });
    await call.freeze({ reason: 'this agent', scope: { keyId: made.body.key.id } });
    expect((await call.check(WRITE, {}, made.body.secret)).body.reason_code).toBe('frozen');
    expect((await call.check()).body.decision).toBe('allow');
    const rotated = await ask(`${stoppable.services[0]!.url}/v1/keys/${made.body.key.id}/rotate`, {
      key: stoppable.ownerKey,
      json: {},
    });
    expect((await call.check(WRITE, {}, rotated.body.secret)).body.reason_code).toBe('frozen');
  });

  test('an allow of a frozen key is not replayed by the key that it was rotated from', async () => {
    const { url } = stoppable.services.at(-1)!;
    const manage = (path: string, json: object) =>
      ask(`${url}/v1/keys${path}`, { key: stoppable.ownerKey, json });
    const old = (await manage('', { kind: 'live', name: 'agent' })).body;
    const rotated = (await manage(`/${old.key.id}/rotate`, {})).body;
    const asked = [{}, { redeem: 'mine' }].map((claim) => ({ 'idempotency-key': randomUUID(), ...claim }));
    for (const headers of asked)
      expect((await call.check(WRITE, headers, rotated.secret)).body.decision).toBe('allow');
    const codes = () =>
      Promise.all(
        asked.map(async (headers) => {
          const { body } = await call.check(WRITE, headers, old.secret);
          return body.error?.code ?? body.decision;
        }),
      );
    expect(await codes()).toEqual(['allow', 'allow']);
    const other = (await manage('', { kind: 'live', name: 'other' })).body;
    await call.freeze({ reason: 'another agent', scope: { keyId: other.key.id } });
    expect(await codes()).toEqual(['allow', 'allow']);
    await call.freeze({ reason: 'stolen', scope: { keyId: rotated.key.id } });
    expect(await codes()).toEqual(['idempotency_key_expired', 'already_redeemed']);
  });

  test('an allow from before the freeze is neither redeemed nor replayed, also after the lift', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const decided = await call.check(WRITE, headers);
    expect((await call.check(WRITE, headers)).text).toBe(decided.text);
    const { body } = await call.freeze({ reason: 'stop', scope: { system: 'crm' } });
    const refused = async () => {
      const replayed = await call.check(WRITE, headers);
      expect([replayed.status, replayed.body.error.code]).toEqual([409, 'idempotency_key_expired']);
      const redeemed = await call.redeem(decided);
      expect([redeemed.status, redeemed.body.error.code]).toEqual([409, 'not_redeemable']);
      expect(redeemed.body.error.details).toEqual([{ pointer: '', message: 'frozen' }]);
    };
    await refused();
    await call.lift(body.freeze.id);
    await refused();
    const after = await call.check();
    expect((await call.redeem(after)).status).toBe(200);
    const one = await call.get(`/v1/freezes/${body.freeze.id}`);
    expect(one.body.freeze.id).toBe(body.freeze.id);
    expect(one.body.allowsBefore.count).toBeGreaterThanOrEqual(1);
    expect(one.body.allowsBefore.redeemed).toBeLessThan(one.body.allowsBefore.count);
  });

  test('an evaluation is replayed under a freeze that was there when it was decided, not under one that stops its allow', async () => {
    await call.freeze({ reason: 'stop', scope: { system: 'erp' } });
    const item = (system: string) => ({
      subject: { type: 'agent', id: 'a' },
      action: { name: 'customer.update' },
      resource: { type: 'customer', id: 'C-1' },
      context: {
        write: { system, field: 'email', value: 'ada@example.com' },
        required_controls: WRITE.requiredControls,
        control_evidence: WRITE.controlEvidence,
      },
    });
    const asked = [
      ['/access/v1/evaluation', item('crm')],
      ['/access/v1/evaluations', { evaluations: [item('crm')] }],
    ] as const;
    const headers = asked.map(() => ({ 'idempotency-key': randomUUID() }));
    const all = () =>
      Promise.all(
        asked.map(([path, json], i) =>
          ask(`${stoppable.services[i % stoppable.services.length]!.url}${path}`, {
            key: stoppable.liveKey,
            headers: headers[i]!,
            json,
          }),
        ),
      );
    const first = await all();
    expect([first[0]!.body.decision, first[1]!.body.evaluations[0].decision]).toEqual([true, true]);
    expect((await all()).map(({ text }) => text)).toEqual(first.map(({ text }) => text));
    await call.freeze({ reason: 'stop', scope: { system: 'crm' } });
    for (const { status, text } of await all())
      expect([status, text]).toEqual([409, expect.stringContaining('a freeze has stopped writes like this')]);
  });

  test('the same Idempotency-Key gives the same freeze, and belongs to one request', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await call.freeze({ reason: 'once' }, headers);
    const again = await call.freeze({ reason: 'once' }, headers);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect((await call.freeze({ reason: 'other' }, headers)).body.error.code).toBe('idempotency_key_reused');
    expect((await call.get('/v1/freezes')).body.freezes).toHaveLength(1);
  });

  test('a key whose freeze is lifted never claims that anything is stopped', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const { body } = await call.freeze({ reason: 'once' }, headers);
    await call.lift(body.freeze.id);
    for (const wish of [{ reason: 'once' }, { reason: 'other' }]) {
      const again = await call.freeze(wish, headers);
      expect([again.status, again.body.error.code]).toEqual(
        wish.reason === 'once' ? [409, 'idempotency_key_expired'] : [422, 'idempotency_key_reused'],
      );
    }
    expect((await call.check()).body.decision).toBe('allow');
  });

  test('a prune erases the texts of a freeze once it is lifted, and never while it is active', async () => {
    const { store: from } = stoppable.services[0]!;
    const [over, active] = [
      await call.freeze({ reason: 'erase me' }),
      await call.freeze({ reason: 'keep me' }),
    ];
    await call.lift(over.body.freeze.id);
    const beforeMs = Date.now() + 60_000;
    await erase(from, { workspace: stoppable.workspace, beforeMs });
    const read = async (id: string) => (await call.get(`/v1/freezes/${id}`)).body.freeze;
    expect(await read(over.body.freeze.id)).toMatchObject({ reason: '', liftReason: '' });
    expect(await read(active.body.freeze.id)).toMatchObject({ reason: 'keep me', liftReason: null });
    const words: string[] = [];
    let entries = 0;
    for (const { log } of await from.logs())
      for (const segment of await from.segments(log, 0, 1_000))
        for (const { leaf, record } of segment.entries) {
          words.push(Buffer.from(record).toString());
          if (Buffer.from(leaf).includes(over.body.freeze.id)) entries += 1;
        }
    expect(entries).toBe(2);
    expect(words.join()).toContain('keep me');
    expect(words.join()).not.toContain('erase me');
  });

  test.each([
    ['no reason', {}],
    ['an empty reason', { reason: '' }],
    ['a reason of spaces', { reason: ' \u2003\n\u200b' }],
    ['a reason that is too long', { reason: 'x'.repeat(501) }],
    ['an unknown member', { reason: 'x', scope: { systems: 'crm' } }],
    ['an empty list', { reason: 'x', scope: { system: [] } }],
    ['an unknown key', { reason: 'x', scope: { keyId: 'key_0' } }],
    ['an end without offset', { reason: 'x', until: '2999-01-01T00:00:00' }],
    ['an end that is past', { reason: 'x', until: '2020-01-01T00:00:00Z' }],
    ['an end too far ahead', { reason: 'x', until: new Date(Date.now() + 32 * 86_400_000).toISOString() }],
  ])('%s is refused', async (_, wish) => {
    const { status, body } = await call.freeze(wish);
    expect([status, body.error.code]).toEqual([422, 'invalid_request']);
  });

  test('requirements take a freeze into account', async () => {
    await call.freeze({ reason: 'stop' });
    const { body } = await ask(`${stoppable.services[0]!.url}/v1/requirements`, {
      key: stoppable.liveKey,
      json: WRITE,
    });
    expect(body.evaluated).toEqual({ decision: 'pause', reason_code: 'frozen' });
  });

  test('past its time a freeze is lifted once, by nobody, and within 5 seconds', async () => {
    const { body } = await call.freeze({ reason: 'short', until: new Date(Date.now() + 300).toISOString() });
    const read = async () => (await call.get(`/v1/freezes/${body.freeze.id}`)).body.freeze;
    expect(await roundsUntil(100, async () => (await read()).liftedAt !== null)).toBeLessThanOrEqual(50);
    expect(await read()).toMatchObject({ liftedBy: null, liftReason: 'until' });
    expect((await call.check()).body.decision).toBe('allow');
  });

  test('lifting by author lifts all of their freezes, and lists show it', async () => {
    const { body } = await call.freeze({ reason: 'one' });
    await call.freeze({ reason: 'two' });
    const { createdBy } = body.freeze;
    const lifted = await ask(`${stoppable.services[0]!.url}/v1/freezes/lift`, {
      key: stoppable.ownerKey,
      json: { createdBy, reason: 'all out' },
    });
    expect(lifted.body.freezes).toHaveLength(2);
    expect((await call.get('/v1/freezes')).body).toEqual({ freezes: [], nextCursor: null });
    const all = (await call.get('/v1/freezes?state=all')).body.freezes;
    expect(all.slice(0, 2).map(({ reason }: { reason: string }) => reason)).toEqual(['two', 'one']);
    const numbers = all.map(({ number }: { number: number }) => number);
    expect(numbers).toEqual(numbers.toSorted((a: number, b: number) => b - a));
  });

  test('a checking key neither sees nor creates freezes; owners have 100 places', async () => {
    expect((await call.freeze({ reason: 'x' }, {}, stoppable.liveKey)).status).toBe(403);
    expect((await call.get('/v1/freezes', stoppable.liveKey)).status).toBe(403);
    const made = await Promise.all(
      Array.from({ length: 104 }, (_, i) => call.freeze({ reason: 'x', scope: { system: `s${i}` } })),
    );
    const refused = made.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => `${status} ${body.error.code}`)).toEqual(
      Array(4).fill('403 plan_limit'),
    );
    expect((await call.get('/v1/freezes')).body.nextCursor).not.toBeNull();
  });

  test('a freeze is dated after everything that another process recorded before it', async () => {
    // The log is as after commits of a replica whose clock is ahead. This test is the last, because the log stays
    // ahead.
    const ahead = Date.now() + 20_000;
    const own = stoppable.services[0]!.store.log;
    const push = (log: string) => `UPDATE ${log} SET newest_ms = ${ahead} WHERE log = '${own}'`;
    await stoppable.runSql(push('log'), push('writecheck.log'));
    const { body } = await call.freeze({ reason: 'stop', scope: { system: 'elsewhere' } });
    expect(Date.parse(body.freeze.createdAt)).toBeGreaterThanOrEqual(ahead);
    const lifted = await call.lift(body.freeze.id);
    expect(Date.parse(lifted.body.freeze.liftedAt)).toBeGreaterThanOrEqual(ahead);
  });
});
