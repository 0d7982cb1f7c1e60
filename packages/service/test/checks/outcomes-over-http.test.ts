/** The outcome of an allow: reported once, by the key that asked or redeemed or by an owner, and found afterwards. */
import { randomUUID } from 'node:crypto';
import { parseEntry } from '@writecheck/ledger';
import { decisionTimeMs } from '@writecheck/store/log/decision-time';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countPrunable, erase } from '../../../store/test/erase.ts';
import { type ListStore, listByOutcome } from '../../src/features/decisions/outcome-list.ts';
import { ask, PAUSED, type Reply } from '../ask.ts';
import { calls, type Stoppable, startOn, WRITE } from '../freezes/freezes-kit.ts';
import { newMember } from '../member-kit.ts';

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (store) => {
  let stoppable: Stoppable;
  let call: ReturnType<typeof calls>;
  beforeAll(async () => {
    stoppable = await startOn(store);
    call = calls(stoppable);
  });
  afterAll(() => stoppable.stop());

  const tell = (decided: Reply, json: object, key = stoppable.liveKey): Promise<Reply> =>
    ask(`${stoppable.services[0]!.url}/v1/decisions/${decided.body.decision_id}/outcome`, { key, json });
  const listed = async (query: string): Promise<readonly string[]> =>
    (await call.get(`/v1/decisions?${query}`)).body.decisions.map(
      (one: { decision_id: string }) => one.decision_id,
    );

  test('unknown may become done once; the same result again changes nothing; anything else is refused', async () => {
    const decided = await call.check();
    const first = await tell(decided, { result: 'unknown', note: 'it timed out' });
    expect(first.body.outcome).toEqual({
      result: 'unknown',
      at: first.body.outcome.recordedAt,
      recordedAt: expect.any(String),
      by: { kind: 'checking_key', id: expect.stringMatching(/^key_/) },
      note: 'it timed out',
      ref: null,
    });
    expect(await listed('outcome=unknown')).toContain(decided.body.decision_id);
    expect((await tell(decided, { result: 'unknown' })).text).toBe(first.text);
    const done = await tell(decided, { result: 'done', ref: 'https://crm.example/C-1' }, stoppable.ownerKey);
    expect(done.body.outcome).toMatchObject({ result: 'done', by: { kind: 'owner_key' }, note: null });
    expect((await tell(decided, { result: 'done' })).text).toBe(done.text);
    for (const result of ['failed', 'unknown']) {
      const { status, body } = await tell(decided, { result });
      expect([status, body.error.code]).toEqual([409, 'outcome_recorded']);
    }
    expect(await listed('outcome=done')).toEqual([decided.body.decision_id]);
    expect(await listed('outcome=unknown')).toEqual([]);
    const redeemed = await call.redeem(decided);
    expect([redeemed.status, redeemed.body.error.code]).toEqual([409, 'not_redeemable']);
  });

  test('an owner who signed in may report an outcome, until the session ends; nobody else who signed in may', async () => {
    const service = stoppable.services[0]!;
    const owner = await newMember(service, ['owner'], Date.now());
    const decided = await call.check();
    for (const role of ['author', 'reviewer', 'auditor']) {
      const { token } = await newMember(service, [role], Date.now());
      const { status, body } = await tell(decided, { result: 'done' }, token);
      expect([status, body.error.code]).toEqual([403, 'insufficient_scope']);
    }
    const told = await tell(decided, { result: 'unknown', note: 'nobody knows' }, owner.token);
    expect(told.body.outcome).toMatchObject({ result: 'unknown', by: { kind: 'person', id: owner.id } });
    await ask(`${service.url}/v1/sessions/current`, { key: owner.token, method: 'DELETE' });
    expect((await tell(decided, { result: 'done' }, owner.token)).status).toBe(401);
    expect((await tell(decided, { result: 'done' }, stoppable.ownerKey)).status).toBe(200);
  });

  test('a list by outcome continues where a page ended, and takes few queries however many allows it passes', async () => {
    const about = { ...WRITE, workflowId: undefined, runId: `r-${randomUUID()}` };
    const decided = await Promise.all(Array.from({ length: 24 }, () => call.check(about)));
    const ids = decided.map(({ body }) => body.decision_id as string);
    const reported = ids.filter((_, i) => i % 3 === 0);
    for (const [i, one] of decided.entries()) if (i % 3 === 0) await tell(one, { result: 'done' });
    const { store: from } = stoppable.services[0]!;
    let queries = 0;
    const counted = <T>(found: T): T => {
      queries += 1;
      return found;
    };
    const counting: ListStore = {
      listDecisions: (query) => counted(from.listDecisions(query)),
      outcomesOf: (...asked) => counted(from.outcomesOf(...asked)),
    };
    const seen: string[] = [];
    const { workspace } = stoppable;
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { workspace, runId: about.runId, limit: 3, ...(cursor === undefined ? {} : { cursor }) };
      const page = await listByOutcome(counting, query, 'done', Date.now());
      if (page.kind !== 'page') throw new Error('the cursor of a page is not one');
      expect(page.decisions.length).toBeLessThanOrEqual(3);
      seen.push(...page.decisions.map(({ decisionId }) => decisionId));
      cursor = page.nextCursor;
    }
    expect(seen.toSorted()).toEqual(reported.toSorted());
    expect(queries).toBeLessThanOrEqual(12);
    const missing = async (nowMs: number) => {
      const page = await listByOutcome(from, { workspace, runId: about.runId, limit: 50 }, 'missing', nowMs);
      return page.kind === 'page' ? page.decisions.length : null;
    };
    expect(await missing(Date.now())).toBe(0);
    expect(await missing(Date.now() + 6 * 60_000)).toBe(16);
  });

  test('the decision shows its redemption and its outcome, once there are any', async () => {
    const decided = await call.check();
    const path = `/v1/decisions/${decided.body.decision_id}`;
    const before = (await call.get(path)).body;
    expect([before.redemption, before.outcome]).toEqual([undefined, undefined]);
    const redeemed = await call.redeem(decided);
    const told = await tell(decided, { result: 'done', note: 'written', ref: 'C-1' });
    const paused = await call.check(PAUSED);
    expect((await call.get(`/v1/decisions/${paused.body.decision_id}`)).body.outcome).toBeUndefined();
    for (const key of [stoppable.ownerKey, stoppable.liveKey]) {
      const { redemption, outcome, ...rest } = (await call.get(path, key)).body;
      expect(rest).toEqual(before);
      expect(redemption).toEqual({ redeemedAt: redeemed.body.redeemedAt, keyId: before.keyId });
      expect(outcome).toEqual(told.body.outcome);
    }
    const taken = await call.check(WRITE, { 'idempotency-key': randomUUID(), redeem: 'mine' });
    const { redemption } = (await call.get(`/v1/decisions/${taken.body.decision_id}`)).body;
    expect(redemption.redeemedAt).toBe(taken.body.redemption.redeemedAt);
  });

  test('only an allow has an outcome, and another key does not even learn that it exists', async () => {
    const paused = await call.check(PAUSED);
    expect((await tell(paused, { result: 'done' })).body.error.code).toBe('not_redeemable');
    const other = await ask(`${stoppable.services[0]!.url}/v1/keys`, {
      key: stoppable.ownerKey,
      json: { kind: 'live', name: 'other' },
    });
    const decided = await call.check();
    expect((await tell(decided, { result: 'done' }, other.body.secret)).status).toBe(404);
    const redeemed = await ask(
      `${stoppable.services[0]!.url}/v1/decisions/${decided.body.decision_id}/redeem`,
      {
        key: other.body.secret,
        json: { intentDigest: decided.body.intentDigest },
      },
    );
    expect(redeemed.status).toBe(200);
    expect((await tell(decided, { result: 'done' }, other.body.secret)).status).toBe(200);
  });

  test.each([
    ['another result', { result: 'maybe' }],
    ['a note that is too long', { result: 'done', note: 'x'.repeat(501) }],
    ['a reference that is too long', { result: 'done', ref: 'x'.repeat(1_025) }],
    ['a time before the decision', { result: 'done', at: '2020-01-01T00:00:00Z' }],
    ['a time too far ahead', { result: 'done', at: '2999-01-01T00:00:00Z' }],
  ])('%s is refused', async (_, wish) => {
    expect((await tell(await call.check(), wish)).status).toBe(422);
  });

  test('a prune of the object erases its outcomes and their texts, and nothing seems to be missing', async () => {
    const about = { ...WRITE, objectRef: `C-${randomUUID()}` };
    const [decided, other] = [await call.check(about), await call.check()];
    await call.redeem(decided);
    for (const one of [decided, other]) await tell(one, { result: 'done', note: 'erase me', ref: 'R-1' });
    const from = stoppable.services[0]!.store;
    const kept = async () => {
      const ids: string[] = [];
      for (const { log } of await from.logs())
        for (const segment of await from.segments(log, 0, 1_000))
          for (const { leaf } of segment.entries) {
            const entry = parseEntry(leaf);
            if (entry?.kind === 'decision.outcome') ids.push(entry.decision_id);
          }
      return ids;
    };
    expect(await kept()).toEqual(expect.arrayContaining([decided.body.decision_id, other.body.decision_id]));
    const before = (await call.get('/v1/decisions/counts')).body.outcomes;
    // The decision, its redemption and its outcome.
    expect(await erase(from, { workspace: stoppable.workspace, objectRef: about.objectRef })).toBe(3);
    expect(await kept()).not.toContain(decided.body.decision_id);
    expect(await kept()).toContain(other.body.decision_id);
    const ids = [decided, other].map(({ body }) => body.decision_id);
    const words = (await from.outcomesOf(stoppable.workspace, ids)).map(({ note, ref }) => [note, ref]);
    expect(words).toEqual(
      expect.arrayContaining([
        [null, null],
        ['erase me', 'R-1'],
      ]),
    );
    expect((await tell(decided, { result: 'done' })).status).toBe(404);
    expect((await call.get('/v1/decisions/counts')).body.outcomes).toEqual(before);
  });

  test('a prune by time takes the outcomes of its decisions, however late they were reported', async () => {
    const from = stoppable.services[0]!.store;
    const decided = await call.check();
    const id = decided.body.decision_id as string;
    const beforeMs = decisionTimeMs(id)! + 1;
    while (Date.now() <= beforeMs) await new Promise((done) => setImmediate(done));
    const later = await call.check();
    for (const one of [decided, later]) await tell(one, { result: 'done', note: 'erase me', ref: 'R-1' });
    const { workspace } = stoppable;
    await erase(from, { workspace, beforeMs });
    const ids = [id, later.body.decision_id as string];
    const words = new Map((await from.outcomesOf(workspace, ids)).map((one) => [one.decisionId, one.note]));
    expect(ids.map((each) => words.get(each))).toEqual([null, 'erase me']);
    const said: string[] = [];
    for (const { log } of await from.logs())
      for (const { entries } of await from.segments(log, 0, 1_000))
        for (const { leaf } of entries) {
          const entry = leaf.length === 0 ? null : parseEntry(leaf);
          if (entry?.kind === 'decision.outcome') said.push(entry.decision_id);
        }
    expect(ids.map((each) => said.includes(each))).toEqual([false, true]);
    expect(await countPrunable(from, { workspace, beforeMs })).toBe(0);
    expect((await call.get(`/v1/decisions/${id}`)).status).toBe(410);
  });

  test('an outcome is recorded under a freeze, in the log with digests, and many concurrent reports get one response each', async () => {
    const headers = () => ({ 'idempotency-key': randomUUID(), redeem: 'x' });
    const decided = await Promise.all(Array.from({ length: 20 }, () => call.check(WRITE, headers())));
    const frozen = await call.freeze({ reason: 'stop' });
    const replies = await Promise.all(
      decided.map((one) => tell(one, { result: 'failed', note: 'secret words' })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200));
    await call.lift(frozen.body.freeze.id);
    const from = stoppable.services[0]!.store;
    let told = 0;
    for (const { log } of await from.logs())
      for (const segment of await from.segments(log, 0, 1_000))
        for (const { leaf } of segment.entries) {
          const entry = parseEntry(leaf);
          if (entry?.kind !== 'decision.outcome' || entry.result !== 'failed') continue;
          told += 1;
          expect(String(leaf)).not.toContain('secret words');
        }
    expect(told).toBe(20);
    expect((await call.get('/v1/decisions?outcome=other')).status).toBe(422);
    const counted = await call.get('/v1/decisions/counts');
    expect(counted.body.outcomes).toEqual({ unknown: 0, missing: 0 });
  });
});
