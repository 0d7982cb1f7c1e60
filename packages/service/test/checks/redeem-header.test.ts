/** `Redeem` takes an allow in the commit that records it, so a call that is delivered twice writes once. */
import { createHash, randomUUID } from 'node:crypto';
import { DAY_MS } from '@writecheck/contract';
import { parseEntry, readRecord } from '@writecheck/ledger';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { erase } from '../../../store/test/erase.ts';
import { commitTo, idOf, newRequest } from '../../../store/test/store-contract/store-contract-values.ts';
import { PAUSED } from '../ask.ts';
import { calls, type Stoppable, startOn, WRITE } from '../freezes/freezes-kit.ts';
import { oneApproval } from './one-approval.ts';

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (store) => {
  let stoppable: Stoppable;
  let call: ReturnType<typeof calls>;
  beforeAll(async () => {
    stoppable = await startOn(store);
    call = calls(stoppable);
  });
  afterAll(() => stoppable.stop());

  test('an allow is recorded and redeemed together, by one claim, however many ask concurrently', async () => {
    const key = randomUUID();
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        call.check(WRITE, { 'idempotency-key': key, redeem: `claim-${i}` }),
      ),
    );
    // Some requests wait too long for the first one on a busy machine, and are told to retry.
    const told = replies.filter(({ body }) => body.error?.code === 'request_in_flight');
    const allowed = replies.filter((reply) => !told.includes(reply));
    for (const _ of told) allowed.push(await call.check(WRITE, { 'idempotency-key': key, redeem: 'late' }));
    expect(allowed.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(allowed.map(({ text }) => text)).size).toBe(1);
    const [first] = allowed;
    expect(first!.body).toMatchObject({
      decision: 'allow',
      redemption: { redeemedAt: first!.body.timestamp, claim: expect.stringMatching(/^claim-\d$/) },
    });
    const again = await call.redeem(first!);
    expect([again.status, again.body.error.code]).toEqual([409, 'already_redeemed']);
    const entries: unknown[] = [];
    const { store: from } = stoppable.services[0]!;
    for (const { log } of await from.logs())
      for (const segment of await from.segments(log, 0, 1_000))
        for (const { leaf } of segment.entries) {
          const entry = parseEntry(leaf);
          if (entry?.kind === 'redemption' && entry.decision_id === first!.body.decision_id)
            entries.push(entry);
        }
    expect(entries).toHaveLength(1);
  });

  test('of 12 callers with one approval over every replica, one runs its write', async () => {
    expect(await oneApproval(stoppable, 12)).toEqual([]);
  });

  test('a pause leaves its key to the next run, which takes one allow there, also once the pause is erased', async () => {
    const about = { ...WRITE, objectRef: `C-${randomUUID()}` };
    const key = { 'idempotency-key': randomUUID() };
    const frozen = await call.freeze({ reason: 'stop' });
    const paused = await call.check(about, { ...key, redeem: 'a' });
    expect([paused.body.reason_code, paused.body.redemption]).toEqual(['frozen', undefined]);
    // A retry of the same run gets the same response, and so does a request that takes nothing.
    expect((await call.check(about, { ...key, redeem: 'a' })).text).toBe(paused.text);
    expect((await call.check(about, key)).text).toBe(paused.text);
    const reused = await call.check({ ...about, field: 'phone' }, key);
    expect([reused.status, reused.body.error.code]).toEqual([422, 'idempotency_key_reused']);
    const other = await call.check(about, { ...key, redeem: 'b' });
    expect(other.body).toMatchObject({ decision: 'pause', reason_code: 'frozen' });
    expect(other.body.decision_id).not.toBe(paused.body.decision_id);
    await call.lift(frozen.body.freeze.id);

    const fresh = { ...about, runId: 'delivered again' };
    const runs = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        call.check(i % 2 === 0 ? about : fresh, { ...key, redeem: `run-${i}` }),
      ),
    );
    const late = await call.check(about, { ...key, redeem: 'late' });
    const taken = [...runs, late].filter(({ body }) => body.decision === 'allow');
    expect(new Set(taken.map(({ body }) => body.redemption.claim)).size).toBe(1);
    const { store: from } = stoppable.services[0]!;
    for (const { body } of [paused, other, taken[0]!])
      await erase(from, { workspace: stoppable.workspace, decisionIds: [body.decision_id] });
    for (const body of [about, fresh]) {
      const again = await call.check(body, { ...key, redeem: 'much-later' });
      expect(['already_redeemed', 'idempotency_key_reused']).toContain(again.body.error?.code);
    }
  });

  test('under a freeze the response says that the allow was taken, and by which decision', async () => {
    const headers = { 'idempotency-key': randomUUID(), redeem: 'mine' };
    const taken = await call.check(WRITE, headers);
    const frozen = await call.freeze({ reason: 'stop' });
    for (const lift of [false, true]) {
      if (lift) await call.lift(frozen.body.freeze.id);
      const { status, body } = await call.check(WRITE, headers);
      expect([status, body.error.code]).toEqual([409, 'already_redeemed']);
      expect(JSON.stringify(body.error.details)).toContain(taken.body.decision_id);
      expect(JSON.stringify(body.error.details)).toContain(taken.body.redemption.redeemedAt);
    }
  });

  test('a key whose allow was redeemed by another request says so once the allow is over, and suggests no new key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const decided = await call.check(WRITE, headers);
    const redeemed = await call.redeem(decided);
    expect((await call.check(WRITE, headers)).text).toBe(decided.text);
    const frozen = await call.freeze({ reason: 'stop' });
    await call.lift(frozen.body.freeze.id);
    const again = await call.check(WRITE, headers);
    expect([again.status, again.body.error.code]).toEqual([409, 'already_redeemed']);
    expect(again.body.error.details).toEqual([
      {
        pointer: '',
        message: `decision ${decided.body.decision_id} was redeemed at ${redeemed.body.redeemedAt}`,
      },
    ]);
  });

  test('a key whose allow was redeemed by another request is kept for 30 days, any other for one', async () => {
    const keyed = Array.from({ length: 3 }, () => ({ 'idempotency-key': randomUUID() }));
    const replies = await Promise.all(keyed.map((headers) => call.check(WRITE, headers)));
    await call.redeem(replies[1]!);
    const { store: from } = stoppable.services[0]!;
    const { keyId } = (await call.get('/v1/decisions?decision=allow')).body.decisions[0];
    for (const [at, days] of [1, 30, 1].entries()) {
      const decidedAtMs = Date.parse(replies[at]!.body.timestamp);
      const name = `${keyId}:${keyed[at]!['idempotency-key']}`;
      const kept = async (ms: number) => (await from.findAnswer(stoppable.workspace, name, ms)) !== null;
      const untilMs = decidedAtMs + days * DAY_MS;
      expect([await kept(untilMs - 1), await kept(untilMs)], `${days} days`).toEqual([true, false]);
    }
    expect((await call.check(WRITE, keyed[1]!)).text).toBe(replies[1]!.text);
  });

  test('a prune erases the write but not that it was taken: a second delivery is not decided again', async () => {
    const about = { ...WRITE, objectRef: `C-${randomUUID()}` };
    const taken = { 'idempotency-key': randomUUID(), redeem: 'mine' };
    const plain = { 'idempotency-key': randomUUID() };
    const first = await call.check(about, taken);
    const untaken = await call.check(about, plain);
    expect([first.body.decision, untaken.body.decision]).toEqual(['allow', 'allow']);
    const { store: from } = stoppable.services[0]!;
    for (const _ of ['pruned', 'pruned again']) {
      await erase(from, { workspace: stoppable.workspace, objectRef: about.objectRef });
      const again = await call.check(about, taken);
      expect([again.status, again.body.error.code]).toEqual([409, 'already_redeemed']);
      expect(JSON.stringify(again.body.error.details)).toContain(first.body.decision_id);
      const other = await call.check({ ...about, field: 'phone' }, taken);
      expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_key_reused']);
      expect(JSON.stringify(other.body.error.details)).toContain(first.body.decision_id);
    }
    const { keyId } = (await call.get('/v1/decisions?decision=allow')).body.decisions[0];
    const name = `${keyId}:${taken['idempotency-key']}`;
    const key = await from.findAnswer(stoppable.workspace, name, Date.now());
    expect([key?.response.length, JSON.stringify(key)]).toEqual([0, expect.not.stringContaining('C-')]);
    expect((await call.check(about, plain)).body.decision_id).not.toBe(untaken.body.decision_id);
  });

  test('after a lost response the same one is rebuilt from the record, byte for byte', async () => {
    const headers = { 'idempotency-key': randomUUID(), redeem: '"a\\claim"', 'x-request-id': 'req-1' };
    const intent = { ...WRITE, objectRef: 'C-\ud83d\ude00 ü "1"' };
    const first = await call.check(intent, headers);
    expect([first.body.decision, first.body.redemption.claim]).toEqual(['allow', '"a\\claim"']);
    const again = await call.check(intent, { ...headers, redeem: 'another' });
    expect(again.text).toBe(first.text);
    const { store: from } = stoppable.services[0]!;
    const { keyId } = (await call.get(`/v1/decisions/${first.body.decision_id}`)).body;
    const kept = await from.findAnswer(
      stoppable.workspace,
      `${keyId}:${headers['idempotency-key']}`,
      Date.now(),
    );
    expect(kept!.response).toHaveLength(0);
  });

  test('a taken allow without its record does not count', async () => {
    const { store: from } = stoppable.services[0]!;
    const { body } = await call.check();
    const found = await from.findDecision(stoppable.workspace, body.decision_id);
    const { keyId, policyRef, freezeNumber = 0 } = readRecord(found!.record);
    const key = randomUUID();
    const request = newRequest(stoppable.workspace, { atMs: Date.now(), keyId });
    const gone = { decisionId: idOf('dec_', Date.now()), redeemedAt: body.timestamp, claim: 'mine' };
    const [outcome] = await commitTo(from, [
      {
        ...request,
        freezeNumber,
        idempotency: {
          key: `${keyId}:${key}`,
          requestDigest: `check:${createHash('sha256').update(JSON.stringify(WRITE)).digest('hex')}`,
          claim: 'mine',
          expiresAtMs: Date.now() + 30 * 86_400_000,
          replayableWhile: JSON.stringify({
            ...{ validUntilMs: Date.now() + 60_000, policyRef, restsOn: [], freezeNumber },
            taken: gone,
          }),
          response: '',
        },
      },
    ]);
    expect(outcome!.kind).toBe('committed');
    const again = await call.check(WRITE, { 'idempotency-key': key, redeem: 'mine' });
    expect([again.status, again.body.error.code]).toEqual([409, 'already_redeemed']);
    expect(JSON.stringify(again.body.error.details)).toContain(gone.decisionId);
  });

  test('a pause takes nothing, and a receipt proves the decision beside its redemption', async () => {
    const paused = await call.check(PAUSED, { 'idempotency-key': randomUUID(), redeem: 'x' });
    expect([paused.body.decision, paused.body.redemption]).toEqual(['pause', undefined]);
    const headers = { 'idempotency-key': randomUUID(), redeem: 'x' };
    const decided = await Promise.all([call.check(WRITE, headers), call.check(), call.check()]);
    for (const { decision_id } of decided.map(({ body }) => body)) {
      const { body } = await call.get(`/v1/decisions/${decision_id}/receipt`);
      const leaf = JSON.parse(Buffer.from(body.leaf, 'base64').toString());
      expect(leaf.decision_id).toBe(decision_id);
    }
  });

  test.each([
    ['without an Idempotency-Key', { redeem: 'x' }],
    ['with characters that are not visible', { redeem: 'a b', 'idempotency-key': 'k1' }],
    ['too long', { redeem: 'x'.repeat(256), 'idempotency-key': 'k2' }],
  ])('a claim %s is refused', async (_, headers) => {
    const { status, body } = await call.check(WRITE, headers as unknown as { [name: string]: string });
    expect([status, body.error.code]).toEqual([422, 'invalid_request']);
  });
});
