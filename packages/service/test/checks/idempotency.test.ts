import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { NewKey, StoredKey } from '../../../store/src/port.ts';
import { erase } from '../../../store/test/erase.ts';
import {
  commitTo,
  idOf,
  newKey,
  newRequest,
} from '../../../store/test/store-contract/store-contract-values.ts';
import { redeemDecision } from '../../src/features/decisions/redeem.ts';
import { APPROVAL_ONCE, type Asked, approved, type CheckKit, intentOf, openKit } from '../check-kit.ts';

let shared: CheckKit;
let kit: CheckKit;
beforeAll(async () => {
  shared = await openKit();
});
afterAll(() => shared.close());
let nextMs = Date.UTC(2026, 10, 15, 12);
// A separate workspace, at a later time than all the others.
beforeEach(async () => {
  kit = await openKit({ store: shared.store });
  kit.clockMs = nextMs;
  nextMs += 10 * 60_000;
});

/** Opens the store as another process would. */
const openAnother = async (): Promise<CheckKit> => {
  const another = await openKit({ folder: shared.folder, workspace: kit.workspace });
  another.clockMs = kit.clockMs;
  return another;
};

const used = async (): Promise<number> => (await kit.store.usage(kit.workspace, '2026-11')).live;
const PAUSE = intentOf({ controlEvidence: [] });

test('the same key and body give the same bytes, charged once', async () => {
  const first = await kit.ask(intentOf(), { key: 'k' });
  expect(first.headers['idempotency-replayed']).toBeUndefined();
  const again = await kit.ask(intentOf(), { key: 'k' });
  expect(again.text).toBe(first.text);
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(await used()).toBe(1);
});

test('a key survives a restart', async () => {
  const first = await kit.ask(intentOf(), { key: 'k' });
  const restarted = await openAnother();
  expect((await restarted.ask(intentOf(), { key: 'k' })).text).toBe(first.text);
  await restarted.close();
});

test('a key with another body is refused', async () => {
  await kit.ask(intentOf(), { key: 'k' });
  const other = await kit.ask(intentOf({ agentValue: 'other' }), { key: 'k' });
  expect([other.status, other.json.error.code]).toEqual([422, 'idempotency_key_reused']);
});

test('a prune removes the responses about its object, and leaves the others', async () => {
  const [gone, other] = [intentOf({ objectRef: 'GONE' }), intentOf({ objectRef: 'OTHER' })];
  await kit.ask(gone, { key: 'gone' });
  await kit.ask(other, { key: 'other' });
  await erase(kit.store, { workspace: kit.workspace, objectRef: 'GONE' });
  expect((await kit.ask(other, { key: 'other' })).headers['idempotency-replayed']).toBe('true');
  // The write is not allowed a second time under its key.
  const again = await kit.ask(gone, { key: 'gone' });
  expect([again.status, again.json.error.code]).toEqual([409, 'idempotency_key_expired']);
});

test('a prune of a pause frees its key', async () => {
  const pause = intentOf({ objectRef: 'GONE', controlEvidence: [] });
  const first = await kit.ask(pause, { key: 'gone' });
  await erase(kit.store, { workspace: kit.workspace, objectRef: 'GONE' });
  const again = await kit.ask(pause, { key: 'gone' });
  expect(again.json.decision).toBe('pause');
  expect(again.json.decision_id).not.toBe(first.json.decision_id);
});

const ONE_KEY = { lineage: 'key_1' } as Partial<NewKey>;
const keptUnder = async (key: string) =>
  (await kit.store.findAnswer(kit.workspace, `key_1:${key}`, kit.clockMs))!;

test('a key stores no second copy of a response: the same bytes are rebuilt from the record', async () => {
  const intent = intentOf({ metadata: { context: { note: 'zoë 漢字 "quoted"' } } });
  for (const [key, asked] of [
    ['allow', intent],
    ['pause', PAUSE],
  ] as const) {
    const first = await kit.ask(asked, { key, scope: ONE_KEY });
    expect((await keptUnder(key)).response.length).toBeLessThan(120);
    expect((await kit.ask(asked, { key, scope: ONE_KEY })).text).toBe(first.text);
  }
});

test('a decision whose record is gone is not replayed', async () => {
  const request = newRequest(kit.workspace, { atMs: kit.clockMs });
  const gone = idOf('dec_', kit.clockMs);
  await kit.ask(PAUSE, { key: 'before', scope: ONE_KEY });
  const { requestDigest } = await keptUnder('before');
  for (const [decision, replayableWhile] of [
    ['allow', { validUntilMs: kit.clockMs + 60_000, policyRef: null, restsOn: [], freezeNumber: 0 }],
    ['pause', null],
  ] as const) {
    const idempotency = {
      ...{ key: `key_1:${decision}`, requestDigest, claim: null, expiresAtMs: kit.clockMs + 60_000 },
      replayableWhile: JSON.stringify(replayableWhile),
      response: JSON.stringify({ decision, decision_id: gone }),
    };
    await commitTo(kit.store, [{ ...request, idempotency }]);
    const again = await kit.ask(PAUSE, { key: decision, scope: ONE_KEY });
    expect([again.status, again.json.error.code]).toEqual([409, 'idempotency_key_expired']);
  }
});

test('a redeemed allow whose record was pruned says that it was redeemed, and suggests no new key', async () => {
  const id = idOf('key_');
  const scope = { id, lineage: id };
  const allowed = await kit.ask(intentOf(), { key: 'taken', scope });
  const found = (await kit.store.findDecision(kit.workspace, allowed.json.decision_id))!;
  const key = {
    ...newKey('live'),
    ...scope,
    workspace: kit.workspace,
    lastUsedAtMs: null,
    revokedAtMs: null,
  };
  const { intentDigest } = allowed.json;
  const nowMs = kit.clockMs + 10;
  const wish = { key: key as StoredKey & { kind: 'live' }, found, intentDigest, idempotency: null, nowMs };
  expect(await redeemDecision(kit.store, wish)).toMatchObject({ kind: 'redeemed' });
  kit.clockMs += 1_000;
  await erase(kit.store, { workspace: kit.workspace, beforeMs: kit.clockMs });
  const again = await kit.ask(intentOf(), { key: 'taken', scope });
  expect([again.status, again.json.error.code]).toEqual([409, 'already_redeemed']);
});

test('a key must be visible ASCII of 1 to 255 characters', async () => {
  for (const key of ['', 'with space', 'ü', 'x'.repeat(256)]) {
    expect((await kit.ask(intentOf(), { key })).json.error.code).toBe('invalid_request');
  }
  expect((await kit.ask(intentOf(), { key: 'x'.repeat(255) })).status).toBe(200);
});

test('an allow is not replayed once its time is over, a pause is', async () => {
  const first = await kit.ask(intentOf(), { key: 'allow' });
  const paused = await kit.ask(PAUSE, { key: 'pause' });
  kit.clockMs = Date.parse(first.json.validUntil) - 1;
  expect((await kit.ask(intentOf(), { key: 'allow' })).status).toBe(200);
  kit.clockMs += 1;
  const late = await kit.ask(intentOf(), { key: 'allow' });
  expect([late.status, late.json.error.code]).toEqual([409, 'idempotency_key_expired']);
  expect((await kit.ask(PAUSE, { key: 'pause' })).text).toBe(paused.text);
});

test('an allow is not replayed under another policy', async () => {
  await kit.ask(intentOf(), { key: 'allow' });
  const paused = await kit.ask(PAUSE, { key: 'pause' });
  await kit.applyPolicy(APPROVAL_ONCE);
  expect((await kit.ask(intentOf(), { key: 'allow' })).json.error.code).toBe('idempotency_key_expired');
  expect((await kit.ask(PAUSE, { key: 'pause' })).text).toBe(paused.text);
});

test('an allow from before the first policy is not replayed by a process that does not know the policy yet', async () => {
  const another = await openAnother();
  expect((await another.ask(intentOf(), { key: 'allow' })).json.decision).toBe('allow');
  await kit.applyPolicy(APPROVAL_ONCE);
  const again = await another.ask(intentOf(), { key: 'allow' });
  expect([again.status, again.json.error.code]).toEqual([409, 'idempotency_key_expired']);
  await another.close();
});

test('an allow is not replayed once its evidence is revoked', async () => {
  await kit.applyPolicy(APPROVAL_ONCE);
  const intent = approved(kit.workspace, 'j1', kit.clockMs);
  const first = await kit.ask(intent, { key: 'k' });
  expect(first.json.decision).toBe('allow');
  expect((await kit.ask(intent, { key: 'k' })).text).toBe(first.text);
  await kit.store.revokeAttestation(kit.workspace, { source: 'desk', jti: 'j1' }, 1, null);
  expect((await kit.ask(intent, { key: 'k' })).json.error.code).toBe('idempotency_key_expired');
});

test('many concurrent requests under one key are one decision, in one process and in two', async () => {
  const second = await openAnother();
  // A request that waits too long for the first one gets a retry, and a busy machine is slow.
  const settled = async (at: CheckKit): Promise<Asked> => {
    const answer = await at.ask(intentOf(), { key: 'k' });
    return answer.json.error?.code === 'request_in_flight' ? settled(at) : answer;
  };
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => settled(i % 2 === 0 ? kit : second)),
  );
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(19);
  expect(await used()).toBe(1);
  await second.close();
});

test('keys of another workspace are independent', async () => {
  await kit.ask(intentOf(), { key: 'k' });
  const other = await openKit({ store: shared.store });
  other.clockMs = kit.clockMs;
  expect((await other.ask(intentOf({ agentValue: 'other' }), { key: 'k' })).status).toBe(200);
});

test('a refused request keeps no key', async () => {
  expect((await kit.ask('{', { key: 'k' })).status).toBe(400);
  expect((await kit.ask(intentOf(), { key: 'k' })).status).toBe(200);
});

// The last one: the shared log is a day later afterwards.
test('after 24 hours a key is free again', async () => {
  const first = await kit.ask(PAUSE, { key: 'k' });
  kit.clockMs += 24 * 60 * 60 * 1_000 - 1;
  expect((await kit.ask(PAUSE, { key: 'k' })).text).toBe(first.text);
  kit.clockMs += 1;
  const anew = await kit.ask(PAUSE, { key: 'k' });
  expect(anew.json.decision_id).not.toBe(first.json.decision_id);
});
