/** A month that is used up is refused before anything is decided, in the published order, and never for too long. */

import type { Store } from '@writecheck/store/port';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { APPROVAL_ONCE, approved, type CheckKit, intentOf, openKit } from '../check-kit.ts';

const NEXT_MONTH = Date.UTC(2026, 11, 1);
let shared: CheckKit;
let kit: CheckKit;
let calls: string[] = [];

/** Records which calls of the store the check makes. */
const counting = (store: Store): Store =>
  new Proxy(store, {
    get(target, name: keyof Store) {
      const member = target[name];
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        calls.push(name);
        return (member as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
const development = { kind: 'development' } as const;
const ask = (body: unknown, key?: string) =>
  kit.ask(body, { ...development, ...(key === undefined ? {} : { key }) });
const logSize = async () => (await kit.store.logs()).reduce((sum, { size }) => sum + size, 0);

beforeAll(async () => {
  shared = await openKit();
});
afterAll(() => shared.close());
beforeEach(async () => {
  kit = await openKit({ store: shared.store, throughStore: counting });
  await kit.applyPolicy(APPROVAL_ONCE);
  expect((await ask(intentOf(), 'kept')).status).toBe(200);
  for (let i = 0; i < 20; i += 1) await Promise.all(Array.from({ length: 50 }, () => ask(intentOf())));
  expect((await kit.store.usage(kit.workspace, '2026-11')).development).toBe(1_000);
  calls = [];
});

test('a check over quota is refused without being verified, decided or recorded', async () => {
  const before = await logSize();
  const answer = await ask(approved(kit.workspace, 'once', kit.clockMs));
  expect(answer).toMatchObject({ status: 429, json: { allowed: false, error: { code: 'quota_exceeded' } } });
  expect(answer.json.decision).toBeUndefined();
  const leftSeconds = Math.ceil((NEXT_MONTH - Date.parse(answer.json.timestamp)) / 1_000);
  expect(answer.headers).toMatchObject({
    'retry-after': String(leftSeconds),
    'ratelimit-policy': '"development";q=1000;w=2592000',
    ratelimit: `"development";r=0;t=${leftSeconds}`,
  });
  expect(calls).toEqual([]);
  expect(await logSize()).toBe(before);
});

test('the refusal from memory equals the one from the commit', async () => {
  const remembered = await ask(intentOf());
  const another = await kit.another();
  expect(await another.ask(intentOf(), development)).toEqual(remembered);
});

test('refusals that come before the quota still do', async () => {
  const code = async (body: unknown, key?: string) => (await ask(body, key)).json.error.code;
  expect(await code('{"system":"a","system":"b"}')).toBe('malformed_json');
  expect(await code({ ...intentOf(), schemaVersion: 'write_intent.v9' })).toBe('unsupported_schema_version');
  expect(await code({ ...intentOf(), required_controls: [] })).toBe('unknown_member');
  expect(await code({ system: 'crm' })).toBe('invalid_intent');
  const scoped = await kit.ask(intentOf(), { ...development, scope: { allowedSystems: ['erp'] } });
  expect(scoped.json.error.code).toBe('insufficient_scope');
  expect(await code(intentOf(), 'not visible ÿ')).toBe('invalid_request');
  expect(await code(intentOf({ agentValue: 'other' }), 'kept')).toBe('idempotency_key_reused');
  expect(calls).not.toContain('commit');
});

test('an earlier decision is replayed even if the month is used up', async () => {
  const { status, headers, json } = await ask(intentOf(), 'kept');
  expect([status, json.decision, headers['idempotency-replayed']]).toEqual([200, 'allow', 'true']);
  const unused = await ask(intentOf(), 'never-used');
  expect([unused.status, unused.json.error.code]).toEqual([429, 'quota_exceeded']);
  expect(calls).not.toContain('commit');
});

test('a live key of the same workspace and another workspace are not refused', async () => {
  expect((await kit.ask(intentOf())).json.decision).toBe('allow');
  const other = await openKit({ store: kit.store });
  expect((await other.ask(intentOf(), development)).json.decision).toBe('allow');
});

// The last one: the shared log is in December afterwards.
test('the next month is decided, and so is a clock that was set back within it', async () => {
  expect((await ask(intentOf())).status).toBe(429);
  kit.clockMs = NEXT_MONTH;
  expect((await ask(intentOf())).json.decision).toBe('allow');
  kit.clockMs = NEXT_MONTH - 1_000;
  expect((await ask(intentOf())).json.decision).toBe('allow');
  expect((await kit.store.usage(kit.workspace, '2026-12')).development).toBe(2);
});
