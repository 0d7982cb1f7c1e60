/** Limits over HTTP, on both stores: allows never exceed them. */
import { ReplayBundles, replayRecord } from '@writecheck/audit';
import { decodeBase64, parseLeaf, readRecord } from '@writecheck/ledger';
import { openLog } from '@writecheck/store/log/open-log';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { erase } from '../../../store/test/erase.ts';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { type ReplayOrder, replayLog } from '../../src/features/impact/replay-log.ts';
import { ask } from '../ask.ts';
import { BASE, type LimitsKit, NOON_MS, PER_CUSTOMER, refund, startLimits, tally } from './limits-kit.ts';

const SUM = { ...PER_CUSTOMER, sum: 'intent.metadata.context.amount', max: 500 };
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (database) => {
  let kit: LimitsKit;
  beforeAll(async () => {
    kit = await startLimits(database === 'SQLite' ? {} : { databaseUrl: await server.newServiceDatabase() });
    await kit.apply(PER_CUSTOMER);
  });
  afterAll(() => kit.stop());

  test('each allow draws, and the write after the last is paused', async () => {
    for (let i = 0; i < 5; i += 1) {
      const { body } = await kit.check(refund('C-1'));
      expect(body.decision, body.reason).toBe('allow');
      expect(body.limits).toEqual([
        {
          id: 'refunds',
          version: '1',
          max: '5',
          drawn: String(i),
          draw: '1',
          remaining: String(5 - i),
          per: 'day',
          resetsAt: '2026-11-18T00:00:00.000Z',
          beyond: false,
          observed: false,
        },
      ]);
    }
    const { body } = await kit.check(refund('C-1'));
    expect(body).toMatchObject({
      decision: 'pause',
      reason_code: 'limit_exceeded',
      limits: [{ remaining: '0' }],
    });
    expect(body.remediation).toEqual([
      { gate: 'limit', limitId: 'refunds', action: 'operator', need: expect.any(String) },
    ]);
    expect((await kit.check(refund('C-2'))).body.decision).toBe('allow');
    // Development keys have separate counters.
    expect((await kit.check(refund('C-1'), { key: kit.service.developmentKey })).body.decision).toBe('allow');
  });

  test('of many concurrent checks exactly as many are allowed as the limit leaves, each with its own reading', async () => {
    const replies = await Promise.all(Array.from({ length: 60 }, () => kit.check(refund('C-hot'))));
    expect(tally(replies)).toEqual({ allow: 5, pause: 55 });
    const drawn = replies.filter(({ body }) => body.allowed).map(({ body }) => body.limits[0].drawn);
    expect(drawn.sort()).toEqual(['0', '1', '2', '3', '4']);
    for (const { body } of replies)
      if (!body.allowed) expect(body.limits[0]).toMatchObject({ drawn: '5', beyond: true });
  });

  test('a replay draws nothing, and repeats the recorded response byte for byte', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const burst = await Promise.all([
      kit.check(refund('C-replay')),
      kit.check(refund('C-replay'), { headers }),
      kit.check(refund('C-replay')),
    ]);
    const again = await kit.check(refund('C-replay'), { headers });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.text).toBe(burst[1]!.text);
    const next = await kit.check(refund('C-replay'));
    expect(next.body.limits[0].drawn).toBe('3');
  });

  test('a draw or group that cannot be read pauses, and draws nothing', async () => {
    const unread = await kit.check(refund(null));
    expect(unread.body).toMatchObject({ decision: 'pause', reason_code: 'limit_unreadable' });
    expect(unread.body.limits[0]).toMatchObject({ drawn: null, remaining: null, resetsAt: null, draw: '1' });
  });

  test('a lower maximum counts immediately, and sums are exact', async () => {
    await kit.apply({ ...SUM, id: 'sums' });
    for (const amount of [0.1, 0.2, '499.70'])
      expect((await kit.check(refund('C-sum', amount))).body).toMatchObject({ decision: 'allow' });
    const { body } = await kit.check(refund('C-sum', '0.000001'));
    expect(body).toMatchObject({ decision: 'pause', limits: [{ drawn: '500', remaining: '0' }] });
    expect((await kit.check(refund('C-sum', 0))).body.decision).toBe('allow');
    expect((await kit.check(refund('C-sum', -1))).body.limits[0]).toMatchObject({ draw: null, drawn: '500' });
    await kit.apply({ ...SUM, id: 'sums', max: 1_000 });
    expect((await kit.check(refund('C-sum', 500))).body.decision).toBe('allow');
    await kit.apply({ ...SUM, id: 'sums', max: 10 });
    expect((await kit.check(refund('C-sum', 0))).body).toMatchObject({
      decision: 'pause',
      limits: [{ drawn: '1000', remaining: '0' }],
    });
  });

  test('a limit that returns finds the rest of its window, and a window that ends is over', async () => {
    await kit.apply();
    expect((await kit.check(refund('C-1'))).body.limits).toBeUndefined();
    await kit.apply(PER_CUSTOMER);
    expect((await kit.check(refund('C-1'))).body.decision).toBe('pause');
    kit.aheadMs += 12 * 3_600_000;
    const { body } = await kit.check(refund('C-1'));
    expect(body).toMatchObject({
      decision: 'allow',
      limits: [{ drawn: '0', resetsAt: '2026-11-19T00:00:00.000Z' }],
    });
  });

  test('a rolling window gives back one step after another', async () => {
    await kit.apply({ ...PER_CUSTOMER, id: 'rolling', max: 2, per: '1h' });
    expect((await kit.check(refund('C-roll'))).body).toMatchObject({ limits: [{ resetsAt: null }] });
    kit.aheadMs += 30 * 60_000;
    const second = (await kit.check(refund('C-roll'))).body;
    expect(second).toMatchObject({ decision: 'allow', limits: [{ drawn: '1' }] });
    expect((await kit.check(refund('C-roll'))).body.decision).toBe('pause');
    const endsMs = Date.parse(second.limits[0].resetsAt);
    const nowMs = Date.parse(second.timestamp);
    kit.aheadMs += endsMs - nowMs - 1;
    expect((await kit.check(refund('C-roll'))).body.decision).toBe('pause');
    kit.aheadMs += 1;
    expect((await kit.check(refund('C-roll'))).body).toMatchObject({
      decision: 'allow',
      limits: [{ drawn: '1' }],
    });
  });

  test('an owner sees the draws, and gives back what was drawn in error', async () => {
    await kit.apply({ ...SUM, id: 'seen' });
    for (const [customer, amount] of [
      ['C-1', 100],
      ['C-1', 20.5],
      ['C-2', 7],
    ] as const)
      await kit.check(refund(customer, amount));
    expect((await kit.get('/v1/limits')).body).toEqual({
      limits: [{ id: 'seen', version: '1', per: 'day', max: '500', groups: 2 }],
    });
    const first = (await kit.get('/v1/limits/seen?limit=1')).body;
    const second = (await kit.get(`/v1/limits/seen?limit=1&cursor=${first.nextCursor}`)).body;
    expect(second.nextCursor).toBeNull();
    const groups = [...first.groups, ...second.groups];
    const one = groups.find(({ group }) => group[0] === 'C-1');
    expect(one).toMatchObject({ group: ['C-1'], drawn: '120.5', remaining: '379.5' });
    expect(one.resetsAt).toMatch(/T00:00:00.000Z$/);
    const correct = (body: object, query = '', key = kit.service.ownerKey) =>
      ask(`${kit.service.url}/v1/limits/seen/corrections${query}`, { key, json: body });
    const wish = { group: ['C-1'], amount: '20.50', reason: 'refunded twice' };
    expect((await correct(wish)).body).toMatchObject({ drawn: '100', remaining: '400' });
    expect((await kit.check(refund('C-1', 0))).body.limits[0].drawn).toBe('100');
    expect((await correct({ ...wish, amount: 100.000001 })).status).toBe(422);
    for (const amount of [0, -1, '1e3', null]) expect((await correct({ ...wish, amount })).status).toBe(422);
    expect((await correct({ ...wish, group: ['C-9'] })).status).toBe(404);
    expect((await correct(wish, '?keyKind=development')).status).toBe(404);
    expect((await correct(wish, '', kit.service.liveKey)).status).toBe(403);
    expect((await kit.get('/v1/limits/unknown')).status).toBe(404);
    expect((await kit.get('/v1/limits/seen?cursor=00')).status).toBe(422);
    expect((await kit.get('/v1/limits', kit.service.liveKey)).status).toBe(403);
    const { text } = await ask(`${kit.service.url}/v1/audit/export`, { key: kit.service.ownerKey });
    const entries = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => kind === 'entry')
      .map(({ leaf }) => JSON.parse(Buffer.from(leaf, 'base64').toString()));
    expect(entries.find(({ kind }) => kind === 'limit.corrected')).toMatchObject({
      limit: 'seen',
      keyKind: 'live',
      amount: '20.5',
      steps: [{ amount: '20.5' }],
    });
    const stated = await ask(`${kit.service.url}/v1/requirements`, {
      key: kit.service.liveKey,
      json: refund('C-1', 401),
    });
    expect(stated.body).toMatchObject({
      limits: [{ id: 'seen', drawn: '100', draw: '401', beyond: true }],
      evaluated: { decision: 'pause', reason_code: 'limit_exceeded' },
    });
  });

  test('a correction that is repeated under its key is made once, with the same response', async () => {
    await kit.apply({ ...SUM, id: 'repeated' });
    for (const amount of [100, 50]) await kit.check(refund('C-1', amount));
    const correct = (body: object, idempotencyKey: string, id = 'repeated') =>
      ask(`${kit.service.url}/v1/limits/${id}/corrections`, {
        key: kit.service.ownerKey,
        json: body,
        headers: { 'idempotency-key': idempotencyKey },
      });
    const wish = { group: ['C-1'], amount: 30, reason: 'refunded twice' };
    const both = await Promise.all([correct(wish, 'same'), correct(wish, 'same')]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(both[0]!.body).toMatchObject({ drawn: '120', remaining: '380' });
    await kit.check(refund('C-1', 5));
    await kit.apply({ ...SUM, id: 'repeated', max: 600 });
    const again = await correct(wish, 'same');
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    for (const { text } of both) expect(text).toBe(again.text);
    const other = await correct({ ...wish, amount: 31 }, 'same');
    expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_key_reused']);
    // A refused correction does not keep its key.
    expect((await correct({ ...wish, amount: 999 }, 'refused')).status).toBe(422);
    expect((await correct(wish, 'refused')).body).toMatchObject({ drawn: '95' });
    await kit.apply({ ...SUM, id: 'repeated', max: 600 }, { ...SUM, id: 'beside' });
    await kit.check(refund('C-1', 40));
    expect((await correct(wish, 'same', 'beside')).body.error.code).toBe('idempotency_key_reused');
    expect((await correct(wish, '')).status).toBe(422);
    expect((await kit.check(refund('C-1', 0))).body.limits.map(({ drawn }: never) => drawn)).toEqual([
      '40',
      '135',
    ]);
  });

  test('an impact run counts draws in the order of the log, from one window before its range', async () => {
    kit.aheadMs += 40 * 24 * 3_600_000;
    const limit = { ...SUM, id: 'tried', match: { system: 'pay*' }, max: 100, per: '1h' };
    const open = { kind: 'Profile', id: 'open', match: { system: 'payout' }, permit: true };
    await kit.apply(open);
    // Runs without a thread and its low priority.
    const run = async (
      range: { readonly fromMs: number; readonly toMs: number },
      more: object,
      limited: object,
    ) => {
      const { store, workspace } = kit.service;
      const reading = await openLog(store.logPlace);
      const order: ReplayOrder = {
        workspace,
        candidate: JSON.stringify([...BASE, open, limited]),
        running: (await store.currentPolicy(workspace))!.documents,
        ...range,
        system: null,
        includeDevelopment: false,
        ...more,
      };
      const report = await replayLog(reading, order, async () => undefined);
      await reading.close();
      return report;
    };
    for (const [system, amount] of [
      ['pay', 60],
      ['payout', 30],
      ['pay', 20],
      ['pay', 10],
    ] as const) {
      await kit.check({ ...refund('C-1', amount), system });
      kit.aheadMs += 10 * 60_000;
    }
    const toMs = kit.nowMs();
    // 60 and 30 fill the window before the range; 20 is too much, and leaves room for 10. Decisions that the
    // filter leaves out draw too.
    expect(await run({ fromMs: toMs - 25 * 60_000, toMs }, { system: 'pay' }, limit)).toMatchObject({
      coverage: { decisions: 2, replayed: 2 },
      newlyStopped: { decisions: 1, byCode: [{ code: 'limit_exceeded', decisions: 1 }] },
      newlyAllowed: { decisions: 0 },
    });
    await kit.apply(open, limit);
    kit.aheadMs += 2 * 3_600_000;
    const sinceMs = kit.nowMs();
    for (const amount of [60, 30, 20, 10]) await kit.check(refund('C-1', amount));
    await ask(`${kit.service.url}/v1/limits/tried/corrections`, {
      key: kit.service.ownerKey,
      json: { group: ['C-1'], amount: 50, reason: 'x' },
    });
    for (const amount of [50, 1]) await kit.check(refund('C-1', amount));
    const range = { fromMs: sinceMs, toMs: kit.nowMs() + 1 };
    const recorded = await run(range, {}, limit);
    // Decisions are repeated under their own bundle, so they stay the same.
    expect(recorded.matrix.decisions).toEqual({
      allow: { allow: 4, pause: 0, block: 0 },
      pause: { allow: 0, pause: 2, block: 0 },
      block: { allow: 0, pause: 0, block: 0 },
    });
    expect(await run(range, {}, { ...limit, max: 121 })).toMatchObject({
      newlyAllowed: { decisions: 2 },
      newlyStopped: { decisions: 0 },
    });
  });

  test('a change that loosens a limit must be confirmed', async () => {
    const apply = (document: object | null) =>
      ask(`${kit.service.url}/v1/policies`, {
        key: kit.service.ownerKey,
        method: 'PUT',
        json: { documents: [...BASE, ...(document === null ? [] : [document])] },
      });
    const old = { ...SUM, id: 'seen', beyond: 'pause' };
    await kit.apply(old);
    const { by: _, ...ungrouped } = old;
    for (const looser of [
      null,
      { ...old, max: 501 },
      { ...old, per: 'week' },
      { ...old, sum: 'intent.agentValue' },
      ungrouped,
      { ...old, when: 'intent.metadata.context.amount > 1.0' },
      { ...old, match: { system: 'pay', operation: 'refund.*' } },
      { ...old, beyond: { require: ['approval'] } },
      { ...old, writePolicy: 'observe' },
    ])
      expect((await apply(looser)).body.error?.code, JSON.stringify(looser)).toBe('loosening_unconfirmed');
    const { match: __, ...wider } = { ...old, max: 499, beyond: 'block', version: '2' };
    expect((await apply(wider)).status).toBe(200);
  });

  test('after a restored backup a limit counts as used up until its window ends', async () => {
    await kit.apply({ ...PER_CUSTOMER, id: 'restored' });
    expect((await kit.check(refund('C-1'))).body.decision).toBe('allow');
    await kit.service.store.doubtDraws(NOON_MS + kit.aheadMs);
    const { body } = await kit.check(refund('C-new'));
    expect(body).toMatchObject({
      decision: 'pause',
      reason_code: 'limit_exceeded',
      limits: [{ drawn: '0' }],
    });
    kit.aheadMs += Date.parse(body.limits[0].resetsAt) - Date.parse(body.timestamp);
    expect((await kit.check(refund('C-new'))).body.decision).toBe('allow');
  });

  test('every record holds its readings, and replays to the byte', async () => {
    const { text } = await ask(`${kit.service.url}/v1/audit/export`, { key: kit.service.ownerKey });
    const bundles = new ReplayBundles();
    let records = 0;
    for (const one of text.trimEnd().split('\n')) {
      const line = JSON.parse(one);
      if (line.kind === 'bundle') bundles.add(line.digest, line.documents);
      if (line.kind !== 'entry' || line.record === undefined) continue;
      const leaf = parseLeaf(decodeBase64(line.leaf)!);
      // The reason of a correction is a record too.
      if (leaf === null) continue;
      const record = decodeBase64(line.record)!;
      expect(replayRecord(record, leaf, bundles)).toEqual({ kind: 'same' });
      records += 1;
      const { readings, decision } = readRecord(record);
      if (decision.limits === undefined) expect(readings).toBeUndefined();
      else for (const reading of readings!) expect(reading.group).toMatch(/^sha256:[0-9a-f]{64}$/);
    }
    expect(records).toBeGreaterThan(80);
  });

  test('counters are rebuilt from the log, even if its records were pruned', async () => {
    await kit.service.store.doubtDraws(null);
    await kit.apply({ ...SUM, id: 'again' }, { ...PER_CUSTOMER, id: 'rolls', per: '3d' });
    for (const amount of [10, '20.25']) await kit.check(refund('C-1', amount));
    await kit.check(refund('C-2', 7));
    const prune = { beforeMs: kit.nowMs() + 1, workspace: kit.service.workspace };
    const seen = async () => [
      (await kit.get('/v1/limits/again')).body,
      (await kit.get('/v1/limits/rolls')).body,
    ];
    const drawn = await seen();
    expect(drawn[0].groups.map((group: { drawn: string }) => group.drawn).sort()).toEqual(['30.25', '7']);
    expect(await kit.service.store.rebuildDraws()).toMatchObject({ differed: 0 });
    await kit.runSql(`UPDATE limit_draws SET draws = '1:1', until_ms = ${Number.MAX_SAFE_INTEGER}`);
    expect((await kit.service.store.rebuildDraws()).differed).toBeGreaterThan(3);
    expect(await seen()).toEqual(drawn);
    expect(await erase(kit.service.store, prune)).toBeGreaterThanOrEqual(3);
    expect(await seen()).toEqual(drawn);
    expect(await kit.service.store.rebuildDraws()).toMatchObject({ differed: 0 });
    await ask(`${kit.service.url}/v1/limits/again/corrections`, {
      key: kit.service.ownerKey,
      json: { group: ['C-2'], amount: 7, reason: 'x' },
    });
    await kit.check(refund('C-2', 3));
    expect(await kit.service.store.rebuildDraws()).toMatchObject({ differed: 0 });
    expect((await kit.check(refund('C-2', 0))).body.limits[0]).toMatchObject({ id: 'again', drawn: '3' });
  });
});
