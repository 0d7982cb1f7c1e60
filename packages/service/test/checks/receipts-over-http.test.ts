/** Receipts from a running service: each verifies for exactly its write, and for nothing else. */
import { verifyReceipt } from '@writecheck/client/receipt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALLOWED, ask, check, PAUSED, signUp } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

const RECEIPT = { prefer: 'receipt' };

let service: TestService;
let keys: string;
beforeAll(async () => {
  service = await startTestService();
  keys = (await ask(`${service.url}/v1/audit/key`)).text;
});
afterAll(() => service.stop());

const live = (intent: unknown, headers: Record<string, string> = RECEIPT) =>
  check(service, intent, { key: service.liveKey, headers });

const verify = (receipt: unknown, changes: object = {}) =>
  verifyReceipt({
    ...{ receipt, intent: ALLOWED, keys, workspace: service.workspace, now: Date.now() },
    ...changes,
  });

describe('a receipt', () => {
  test('comes with a check that requests it, and verifies for its write', async () => {
    const { body, headers } = await live(ALLOWED, { prefer: 'respond-async, RECEIPT; v=1, wait=5' });
    expect(headers.get('preference-applied')).toBe('receipt');
    expect(Object.keys(body.receipt)).toEqual([
      ...['version', 'leaf', 'index', 'treeSize', 'proof', 'checkpoint'],
    ]);
    const verdict = await verify(body.receipt);
    expect(verdict).toMatchObject({ ok: true, leaf: { decision_id: body.decision_id } });
  });

  test('does not come unless requested', async () => {
    const { body, headers } = await live(ALLOWED, { prefer: 'no-receipt, x=receipt' });
    expect(body).not.toHaveProperty('receipt');
    expect(headers.get('preference-applied')).toBeNull();
  });

  test('is the same later, to the byte, for the owner and the requesting key, and for nobody else', async () => {
    const { body } = await live(ALLOWED);
    await live(PAUSED);
    const read = (key: string) => ask(`${service.url}/v1/decisions/${body.decision_id}/receipt`, { key });
    expect((await read(service.liveKey)).body).toEqual(body.receipt);
    expect((await read(service.ownerKey)).body).toEqual(body.receipt);
    expect((await read(service.developmentKey)).status).toBe(404);
    expect((await read((await signUp(service)).ownerKey)).status).toBe(404);
  });

  test('is not given to another key, whose Idempotency-Key has another scope', async () => {
    const kept = { 'idempotency-key': 'receipts-3' };
    const first = await live(ALLOWED, kept);
    const headers = { ...RECEIPT, ...kept };
    const other = await check(service, ALLOWED, { key: service.developmentKey, headers });
    expect(other.headers.get('idempotency-replayed')).toBeNull();
    expect(other.body.decision_id).not.toBe(first.body.decision_id);
    const again = await live(ALLOWED, headers);
    expect(again.body.decision_id).toBe(first.body.decision_id);
    expect(again.body.receipt.version).toBe('writecheck.receipt.v1');
  });

  test('is the same in a replayed response, for a check and for a batch', async () => {
    const headers = { ...RECEIPT, 'idempotency-key': 'receipts-1' };
    const [first, again] = [await live(ALLOWED, headers), await live(ALLOWED, headers)];
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
    const batch = (prefer: object) =>
      ask(`${service.url}/v1/check-write/batch`, {
        key: service.liveKey,
        headers: { ...prefer, 'idempotency-key': 'receipts-2' },
        json: { checks: [ALLOWED, { system: 5 }, PAUSED] },
      });
    const [one, two] = [await batch(RECEIPT), await batch(RECEIPT)];
    expect(two.headers.get('idempotency-replayed')).toBe('true');
    expect(two.text).toBe(one.text);
    expect(one.body.results.map((result: object) => 'receipt' in result)).toEqual([true, false, true]);
    expect((await verify(one.body.results[0].receipt)).ok).toBe(true);
    expect((await batch({})).body.results[0]).not.toHaveProperty('receipt');
  });

  test('many concurrent ones share checkpoints, and every one verifies', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => live(ALLOWED)));
    for (const { body } of answers) expect((await verify(body.receipt)).ok).toBe(true);
    const notes = new Set(answers.map(({ body }) => body.receipt.checkpoint));
    expect(notes.size).toBeLessThan(100);
  });
});

describe('the executing side refuses', () => {
  test.each([
    ['another value', { intent: { ...ALLOWED, agentValue: 'eve@example.com' } }, 'intent_mismatch'],
    ['another object', { intent: { ...ALLOWED, objectRef: 'C-2' } }, 'intent_mismatch'],
    ['another workspace', { workspace: 'ws_other' }, 'other_workspace'],
    ['an allow that is over', { now: Date.now() + 10 * 60_000 }, 'expired'],
    ['an allow of the future', { now: Date.now() - 10 * 60_000 }, 'not_yet_valid'],
  ])('%s', async (_name, changes, reason) => {
    const { body } = await live(ALLOWED);
    expect(await verify(body.receipt, changes)).toMatchObject({ ok: false, reason });
  });

  test('a pause, a development key, a stranger and a forged proof', async () => {
    const paused = await live(PAUSED);
    expect(await verify(paused.body.receipt, { intent: PAUSED })).toMatchObject({ reason: 'not_allowed' });
    const development = await check(service, ALLOWED, { headers: RECEIPT });
    expect(await verify(development.body.receipt)).toMatchObject({ reason: 'development_key' });
    expect((await verify(development.body.receipt, { acceptDevelopment: true })).ok).toBe(true);
    const { body } = await live(ALLOWED);
    const other = await startTestService();
    const otherKeys = (await ask(`${other.url}/v1/audit/key`)).text;
    await other.stop();
    expect(await verify(body.receipt, { keys: otherKeys })).toMatchObject({ reason: 'unknown_signer' });
    const swapped = { ...body.receipt, leaf: paused.body.receipt.leaf };
    expect(await verify(swapped)).toMatchObject({ reason: 'forged_proof' });
  });

  test('an allow in a workspace from self-service sign-up', async () => {
    const stranger = await signUp(service);
    const { body } = await check(service, ALLOWED, { key: stranger.developmentKey, headers: RECEIPT });
    expect(await verify(body.receipt, { acceptDevelopment: true })).toMatchObject({
      reason: 'other_workspace',
    });
  });

  test('an allow that is only observed, unless it accepts observed ones', async () => {
    const own = await startTestService();
    const ownKeys = (await ask(`${own.url}/v1/audit/key`)).text;
    const documents = [{ kind: 'Profile', id: 'p', require: ['four_eyes'], writePolicy: 'observe' }];
    await ask(`${own.url}/v1/policies`, { method: 'PUT', key: own.ownerKey, json: { documents } });
    const intent = {
      ...ALLOWED,
      requiredControls: [],
      authorityFound: true,
      authorityValue: 'ada@example.com',
    };
    const { body } = await check(own, intent, { key: own.liveKey, headers: RECEIPT });
    expect([body.decision, body.evaluatedDecision]).toEqual(['allow', 'pause']);
    const question = { intent, keys: ownKeys, workspace: own.workspace };
    expect(await verify(body.receipt, question)).toMatchObject({ reason: 'observed_allow' });
    expect((await verify(body.receipt, { ...question, acceptObserved: true })).ok).toBe(true);
    await own.stop();
  });
});
