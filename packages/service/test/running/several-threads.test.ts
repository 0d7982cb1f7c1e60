/** Three threads decide and one commits: every promise of a service holds as with one thread. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databasePath } from '@writecheck/store/sqlite/open-database';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Supervised } from '../../../cli/src/operator/supervise.ts';
import { readKeptCheckpoint } from '../../src/features/audit/kept-checkpoint.ts';
import { DEVELOPMENT_CHECKS_A_MONTH } from '../../src/features/keys/allowance.ts';
import { makeFirstWorkspace, openStore } from '../../src/runtime/open-store.ts';
import { ALLOWED, ask } from '../ask.ts';
import { knownWithin } from '../known-within.ts';
import { type Answered, type Caller, callersOf, requestOf } from '../load.ts';
import { askAll, askUntilSettled, CONNECTIONS, endAll, startThreads, WORKERS } from './threads-kit.ts';

const folder = mkdtempSync(join(tmpdir(), 'writecheck-threads-'));
let service: Supervised;
let workspace = '';
let owner = '';
let development = '';
let live = '';
let lines = '';
let isStopped = false;

async function newKey(kind = 'live'): Promise<{ readonly id: string; readonly secret: string }> {
  const { body } = await ask(`${service.url}/v1/keys`, { key: owner, json: { kind, name: 'a key' } });
  return { id: body.key.id, secret: body.secret };
}

const onAll = (key: string, extra = ''): Promise<Caller[]> =>
  callersOf(service.url, requestOf(key, ALLOWED).replace('\r\n', `\r\n${extra}`), CONNECTIONS);

const statusesOf = (answers: readonly Answered[]): number[] => [
  ...new Set(answers.map(({ status }) => status)),
];

beforeAll(async () => {
  service = await startThreads({ data: folder, signupsPerHour: '20' }, (line) => {
    lines += line;
  });
  const first = (await makeFirstWorkspace(service.store, Date.now()))!;
  workspace = first.workspace.id;
  owner = first.ownerKey;
  development = first.developmentKey;
  live = (await newKey()).secret;
}, 120_000);
afterAll(async () => {
  if (!isStopped) await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('three deciding threads', () => {
  test('all respond, and metrics and logs count them as one service', async () => {
    const callers = await onAll(live);
    const answers = await askAll(callers);
    endAll(callers);
    expect(statusesOf(answers)).toEqual([200]);
    const counted = await service.threads.gatherMetrics();
    const decidedBy = counted.map((metrics) => {
      const found = metrics.find((each) => 'name' in each && each.name === 'writecheck_decisions_total');
      return (found as { readonly values: readonly { readonly value: number }[] }).values[0]?.value ?? 0;
    });
    expect(decidedBy).toHaveLength(WORKERS);
    expect(Math.min(...decidedBy)).toBeGreaterThan(0);
    const { text } = await ask(`${service.metricsUrl}/metrics`);
    expect(text).toContain(
      `writecheck_decisions_total{decision="allow",reason_code="requirements_met"} ${CONNECTIONS}`,
    );
    expect(text.match(/^process_resident_memory_bytes /gm)).toHaveLength(1);
  });

  test('admit exactly what is left of a month, whoever asks', async () => {
    const callers = await onAll(development);
    const statuses: number[] = [];
    const each = Math.ceil((DEVELOPMENT_CHECKS_A_MONTH * 1.2) / CONNECTIONS);
    await Promise.all(
      callers.map(async (caller) => {
        for (let i = 0; i < each; i += 1) statuses.push((await caller.ask()).status);
      }),
    );
    endAll(callers);
    expect(statuses.filter((status) => status === 200)).toHaveLength(DEVELOPMENT_CHECKS_A_MONTH);
    expect(statuses.filter((status) => status === 429)).toHaveLength(
      each * CONNECTIONS - DEVELOPMENT_CHECKS_A_MONTH,
    );
  });

  test('give one decision to one Idempotency-Key, charged once', async () => {
    const { body: before } = await ask(`${service.url}/v1/usage`, { key: owner });
    const callers = await onAll(live, 'Idempotency-Key: one\r\n');
    const answers = await Promise.all(callers.map(askUntilSettled));
    endAll(callers);
    const ids = answers.map(({ body }) => JSON.parse(body).decision_id);
    expect(statusesOf(answers)).toEqual([200]);
    expect(new Set(ids).size).toBe(1);
    const { body: after } = await ask(`${service.url}/v1/usage`, { key: owner });
    expect(after.live.used - before.live.used).toBe(1);
  });

  test('redeem a decision once', async () => {
    const { body } = await ask(`${service.url}/v1/check-write`, { key: live, json: ALLOWED });
    const path = `/v1/decisions/${body.decision_id}/redeem`;
    const request = requestOf(live, { intentDigest: body.intentDigest }, path);
    const callers = await callersOf(service.url, request, CONNECTIONS);
    const answers = await askAll(callers);
    endAll(callers);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(CONNECTIONS - 1);
  });

  test('record every reported outcome once, in the commits of checks', async () => {
    const callers = await onAll(live);
    const ids = (await askAll(callers)).map(({ body }): string => JSON.parse(body).decision_id);
    const outcomeUrl = (id: string) => `${service.url}/v1/decisions/${id}/outcome`;
    const [checked, ...told] = await Promise.all([
      askAll(callers),
      ...[...ids, ...ids].map((id) => ask(outcomeUrl(id), { key: live, json: { result: 'done' } })),
    ]);
    endAll(callers);
    expect([...statusesOf(checked), ...new Set(told.map(({ status }) => status))]).toEqual([200, 200]);
    for (const [i, id] of ids.entries()) {
      const { body } = await ask(`${service.url}/v1/decisions/${id}`, { key: live });
      expect([told[i]!.body.outcome, told[ids.length + i]!.body.outcome]).toEqual([
        body.outcome,
        body.outcome,
      ]);
    }
  });

  test('record no report of a key that did not ask, on any thread, until that key redeems', async () => {
    const other = await newKey();
    const callers = await onAll(live);
    const decided = (await askAll(callers)).map(({ body }) => JSON.parse(body));
    endAll(callers);
    const tell = (key: string, id: string) =>
      ask(`${service.url}/v1/decisions/${id}/outcome`, { key, json: { result: 'done' } });
    const tellAll = async (key: string) => [
      ...new Set(
        await Promise.all(decided.map(async ({ decision_id }) => (await tell(key, decision_id)).status)),
      ),
    ];
    expect(await tellAll(other.secret)).toEqual([404]);
    const [first] = decided;
    const redeemed = await ask(`${service.url}/v1/decisions/${first.decision_id}/redeem`, {
      key: other.secret,
      json: { intentDigest: first.intentDigest },
    });
    expect(redeemed.status).toBe(200);
    expect((await tell(other.secret, first.decision_id)).status).toBe(200);
    expect(await tellAll(owner)).toEqual([200]);
  });

  test('record the report of a key for a decision of the key it was rotated from', async () => {
    const { id, secret } = await newKey();
    const callers = await onAll(secret);
    const ids = (await askAll(callers)).map(({ body }): string => JSON.parse(body).decision_id);
    endAll(callers);
    const rotated = await ask(`${service.url}/v1/keys/${id}/rotate`, { key: owner, json: {} });
    const told = await Promise.all(
      ids.map((each) =>
        ask(`${service.url}/v1/decisions/${each}/outcome`, {
          key: rotated.body.secret,
          json: { result: 'failed' },
        }),
      ),
    );
    expect([...new Set(told.map(({ status }) => status))]).toEqual([200]);
  });

  test('each refuse a revoked key within a second', async () => {
    const { id, secret } = await newKey();
    const callers = await onAll(secret);
    expect(statusesOf(await askAll(callers))).toEqual([200]);
    const { status } = await ask(`${service.url}/v1/keys/${id}`, { key: owner, method: 'DELETE' });
    expect(status).toBe(204);
    const statuses = async () => statusesOf(await askAll(callers));
    await knownWithin(1_000, statuses, (seen) => seen.join() === '401');
    endAll(callers);
  });

  test('each decide by a new policy within a second', async () => {
    const callers = await onAll(live);
    expect(statusesOf(await askAll(callers))).toEqual([200]);
    const documents = [{ kind: 'Profile', id: 'p', version: '1', match: {}, require: ['more'] }];
    const applied = await ask(`${service.url}/v1/policies`, {
      key: owner,
      method: 'PUT',
      json: { documents },
    });
    expect(applied.status).toBe(200);
    const decisions = async () => (await askAll(callers)).map(({ body }) => JSON.parse(body).decision);
    await knownWithin(1_000, decisions, (made) => made.every((each) => each === 'pause'));
    endAll(callers);
  });

  test('admit exactly the sign-ups of an address, however many arrive together', async () => {
    const asked = Array.from({ length: 40 }, () =>
      ask(`${service.url}/v1/workspaces`, { json: { name: 'x' }, headers: { connection: 'close' } }),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });

  test('each return 503 in time while nothing can be committed, and continue afterwards', async () => {
    const callers = await onAll(live);
    const db = new Database(databasePath(folder));
    db.exec('BEGIN IMMEDIATE');
    const stalled = await askAll(callers);
    const { status } = await ask(`${service.url}/readyz`);
    db.exec('ROLLBACK');
    db.close();
    expect(statusesOf(stalled)).toEqual([503]);
    expect(status).toBe(503);
    await expect.poll(async () => statusesOf(await askAll(callers))).toEqual([200]);
    endAll(callers);
  });

  test('a thread that dies leaves no request waiting, fails no other thread, and is replaced', async () => {
    const callers = await onAll(live);
    let isOver = false;
    let lost = 0;
    const others: number[] = [];
    const lanes = callers.map(async (caller) => {
      while (!isOver) {
        const settled = await caller.ask().then(
          ({ status }) => status,
          () => null,
        );
        if (settled === null) {
          lost += 1;
          return;
        }
        others.push(settled);
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    const victim = service.threads.running.get(2)!;
    await victim.terminate();
    await expect
      .poll(() => service.threads.running.get(2) !== victim && service.threads.running.size)
      .toBe(WORKERS);
    isOver = true;
    await Promise.all(lanes);
    endAll(callers);
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThan(CONNECTIONS);
    expect([...new Set(others)]).toEqual([200]);
    expect(lines).toContain('a worker thread died');
  });

  test('a stop sends every pending response, and every decision sent is in the log', async () => {
    const callers = await onAll(live);
    const ids: string[] = [];
    const broken: unknown[] = [];
    const lanes = callers.map(async (caller) => {
      for (;;) {
        // A caller without processor time during the grace time finds its connection closed; its request was
        // not read.
        const answered = await caller.ask().catch(() => null);
        if (answered === null) return;
        if (answered.status === 200) ids.push(JSON.parse(answered.body).decision_id);
        else broken.push(answered);
        if (/connection: close/i.test(answered.head)) return;
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    isStopped = true;
    await service.stop();
    await Promise.all(lanes);
    expect(broken).toEqual([]);
    const store = await openStore({ data: folder });
    const found = await Promise.all(ids.map((id) => store.findDecision(workspace, id)));
    await store.close();
    expect(found.filter((record) => record === null)).toEqual([]);
    // The next process needs it to tell whether the clock was set meanwhile.
    const left = readKeptCheckpoint(folder)?.clock?.clockMs;
    expect(Math.abs(Date.now() - left!)).toBeLessThan(60_000);
  });
});
