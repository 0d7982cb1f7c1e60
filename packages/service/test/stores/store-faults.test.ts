/** Errors at every call of the store, one at a time: no allow may leave without a committed record. */

import { type Store, StoreUnavailable } from '@writecheck/store/port';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { COMMAND_LINE } from '../../../store/test/store-contract/store-contract-values.ts';
import { QUEUE_LIMITS } from '../../src/check/check-queue.ts';
import {
  APPROVAL_ONCE,
  type Asked,
  approved,
  type CheckKit,
  intentOf,
  isRecorded,
  openKit,
} from '../check-kit.ts';

type Call = () => Promise<unknown>;

/** What can happen to one call; `cut` is a connection lost after the work was done. */
const FAULTS: { readonly [name: string]: (call: Call) => Promise<unknown> } = {
  error: () => Promise.reject(new StoreUnavailable('io', 'the disk failed')),
  full: () => Promise.reject(new StoreUnavailable('full', 'the disk is full')),
  busy: () => Promise.reject(new StoreUnavailable('busy', 'the database is locked')),
  bug: () => Promise.reject(new TypeError('undefined is not a function')),
  cut: async (call) => {
    await call();
    throw new StoreUnavailable('unknown', 'the connection was lost after COMMIT');
  },
  delay: async (call) => {
    await new Promise((done) => setTimeout(done, 30));
    return call();
  },
  late: async (call) => {
    await new Promise((done) => setTimeout(done, LATE_MS));
    return call();
  },
  'late cut': async (call) => {
    await call();
    await new Promise((done) => setTimeout(done, LATE_MS));
    throw new StoreUnavailable('io', 'the disk failed');
  },
  nonsense: async (call) => {
    await call();
    return [];
  },
};

/** Both fail the run by their status. */
const TWICE: Asked = { status: 500, headers: {}, text: 'an allow was taken twice', json: {} };
const LOST: Asked = { status: 500, headers: {}, text: 'an acknowledged outcome is lost', json: {} };

const SCENARIOS: { readonly [name: string]: (kit: CheckKit) => Promise<readonly Asked[]> } = {
  'a check': async (kit) => [await kit.ask(intentOf())],
  'a check with a key, twice': async (kit) => [
    await kit.ask(intentOf(), { key: 'k' }),
    await kit.ask(intentOf(), { key: 'k' }),
  ],
  'a check that takes its allow, twice': async (kit) => {
    const scope = { id: 'key_taking', lineage: 'key_taking' } as object;
    const asked = [];
    for (const redeem of ['mine', 'theirs'])
      asked.push(await kit.ask(intentOf(), { key: 'taken', redeem, scope }));
    // INVARIANT: every caller that is allowed sees the same claim, and the first caller that saw one is the
    // only one.
    const claims = new Set(asked.flatMap(({ json }) => json.redemption?.claim ?? []));
    return claims.size > 1 ? [...asked, TWICE] : asked;
  },
  'a check beside a reported outcome': async (kit) => {
    const first = await kit.ask(intentOf());
    const decisionId: string = first.json.decision_id ?? `dec_${'0'.repeat(32)}`;
    const told = { workspace: kit.workspace, decisionId, result: 'done', atMs: kit.clockMs } as const;
    const outcome = { ...told, recordedAtMs: kit.clockMs, by: COMMAND_LINE, note: null, ref: null };
    const [checked, reported, alsoChecked] = await Promise.all([
      kit.ask(intentOf()),
      kit.parts.commits.report(outcome),
      kit.ask(intentOf()),
    ]);
    const isLost =
      reported.kind === 'recorded' && (await kit.store.outcomesOf(kit.workspace, [decisionId])).length === 0;
    return [first, checked, alsoChecked, ...(isLost ? [LOST] : [])];
  },
  'a check of a development key with a key, twice': async (kit) => [
    await kit.ask(intentOf(), { key: 'k', kind: 'development' }),
    await kit.ask(intentOf(), { key: 'k', kind: 'development' }),
  ],
  'an attested check, twice': async (kit) => {
    const intent = approved(kit.workspace, 'j', kit.clockMs);
    return [await kit.ask(intent, { key: 'a' }), await kit.ask(intent, { key: 'a' }), await kit.ask(intent)];
  },
  'many at once': (kit) => Promise.all(Array.from({ length: 5 }, () => kit.ask(intentOf()))),
};

/** Breaks the n-th call (from 0) of all that the check makes; counts them if `at` is null. */
const breaking = (store: Store, at: number | null, fault: (call: Call) => Promise<unknown>) => {
  const made: string[] = [];
  const broken = new Proxy(store, {
    get(target, name: keyof Store) {
      const member = target[name];
      if (typeof member !== 'function' || name === 'watch') return member;
      return (...args: unknown[]) => {
        const call = () => (member as (...args: unknown[]) => Promise<unknown>)(...args);
        made.push(name);
        return made.length - 1 === at ? fault(call) : call();
      };
    },
  });
  return { broken, made };
};

const LIMITS = { deadlineMs: 500 };
/** Where nothing is broken, so that a busy machine leaves no call out. */
const NO_LIMITS = { deadlineMs: 60_000 };
const LATE_MS = 750;
const isLate = (fault: string): boolean => fault.startsWith('late');

let shared: CheckKit;
beforeAll(async () => {
  shared = await openKit();
});
afterAll(() => shared.close());

const run = async (
  scenario: (kit: CheckKit) => Promise<readonly Asked[]>,
  at: number | null,
  fault: string,
) => {
  let made: readonly string[] = [];
  const kit = await openKit({
    store: shared.store,
    limits: at === null ? NO_LIMITS : LIMITS,
    throughStore: (store) => {
      const { broken, made: calls } = breaking(store, at, FAULTS[fault]!);
      made = calls;
      return broken;
    },
  });
  await kit.applyPolicy(APPROVAL_ONCE);
  const answers: Asked[] = [];
  try {
    answers.push(...(await scenario(kit)));
  } catch (thrown) {
    // A bug reaches the one catch at the edge, which responds with 500.
    if (thrown instanceof StoreUnavailable) throw thrown;
  }
  const decisions = answers.flatMap(({ json }) => (Array.isArray(json.results) ? json.results : [json]));
  const faults: string[] = [];
  for (const one of decisions) {
    if (one.decision !== undefined && !(await isRecorded(kit, one.decision_id)))
      faults.push('a decision without a record');
  }
  for (const { status } of answers)
    if (![200, 409, 422, 503].includes(status)) faults.push(`status ${status}`);
  // Whatever happened, the store continues where it was, and so does the service.
  await new Promise((done) => setTimeout(done, isLate(fault) ? LATE_MS : 0));
  // Repeated if a busy machine misses the deadline.
  await expect.poll(async () => (await kit.ask(intentOf())).json.decision).toBe('allow');
  await kit.close();
  return { faults, made, decisions: decisions.length };
};

describe.each(Object.entries(SCENARIOS))('%s', (_name, scenario) => {
  test('never allows without a committed record, whatever call of the store fails', async () => {
    const { made, faults: without } = await run(scenario, null, 'error');
    expect(without).toEqual([]);
    expect(made).toContain('commit');
    // The call after the scenario's last one belongs to the closing check.
    const sites = made.length - 1;
    const breakEach = async (fault: string): Promise<void> => {
      const runs = await Promise.all(Array.from({ length: sites }, (_, at) => run(scenario, at, fault)));
      for (const [at, { faults }] of runs.entries()) {
        expect(faults, `${fault} in call ${at} (${made[at]})`).toEqual([]);
      }
    };
    for (const fault of Object.keys(FAULTS).filter((name) => !isLate(name))) await breakEach(fault);
    // These faults mostly wait.
    await Promise.all(Object.keys(FAULTS).filter(isLate).map(breakEach));
  }, 120_000);
});

test('a stalled disk fails waiting requests within the deadline, and new ones immediately', async () => {
  let release = (): void => undefined;
  const stalledOnce = (store: Store): Store => {
    let calls = 0;
    return new Proxy(store, {
      get: (target, name: keyof Store) =>
        name !== 'commit'
          ? target[name]
          : async (...asked: Parameters<Store['commit']>) => {
              calls += 1;
              if (calls === 1) await new Promise<void>((done) => (release = done));
              return target.commit(...asked);
            },
    });
  };
  const kit = await openKit({ limits: LIMITS, throughStore: stalledOnce });
  const waiting = await kit.ask(intentOf());
  expect([waiting.status, waiting.json.error.code]).toEqual([503, 'store_unavailable']);
  expect(waiting.headers['retry-after']).toBe('1');
  // Immediately: nothing waits for a timer.
  const deadlines = vi.spyOn(globalThis, 'setTimeout');
  expect((await kit.ask(intentOf())).status).toBe(503);
  expect(deadlines).not.toHaveBeenCalled();
  deadlines.mockRestore();
  release();
  await expect.poll(async () => (await kit.ask(intentOf())).status).toBe(200);
  // The stalled record landed after all: a record without a response, never the other way round.
  expect((await kit.store.logs())[0]!.size).toBeGreaterThanOrEqual(2);
  await kit.close();
});

test('beyond the room for waiting requests, callers are refused immediately and the others are served', async () => {
  const body = Buffer.byteLength(JSON.stringify(intentOf()));
  // One workspace has half of each: 8 run and 8 wait.
  const kit = await openKit({
    admission: { ...QUEUE_LIMITS, places: 16, turnMs: 1_000, roomBytes: 16 * (8_192 + body) },
  });
  const answers = await Promise.all(Array.from({ length: 40 }, () => kit.ask(intentOf())));
  const shed = answers.filter(({ status }) => status === 503);
  expect(shed.length).toBe(24);
  for (const { json, headers } of shed) {
    expect([json.error.code, headers['retry-after']]).toEqual(['overloaded', '1']);
  }
  expect((await kit.store.logs())[0]!.size).toBe(16);
  await kit.close();
});
