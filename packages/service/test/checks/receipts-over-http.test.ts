/** Receipts from a running service: each verifies for exactly its write, and for nothing else. */
import { verifyReceipt } from '@writecheck/client/receipt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALLOWED, ask, check, PAUSED, receiptOf, signUp } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

let service: TestService;
let keys: string;
beforeAll(async () => {
  service = await startTestService();
  keys = (await ask(`${service.url}/v1/audit/key`)).text;
});
afterAll(() => service.stop());

/** The check with its receipt. */
const proven = async (intent: unknown, key = service.liveKey, at = service) => {
  const decided = await check(at, intent, { key });
  return { ...decided.body, receipt: await receiptOf(at.url, key, decided) };
};

const verify = (receipt: unknown, changes: object = {}) =>
  verifyReceipt({
    ...{ receipt, intent: ALLOWED, keys, workspace: service.workspace, now: Date.now() },
    ...changes,
  });

describe('a receipt', () => {
  test('verifies for its write', async () => {
    const { receipt, decision_id } = await proven(ALLOWED);
    expect(Object.keys(receipt)).toEqual([
      ...['version', 'leaf', 'index', 'treeSize', 'proof', 'checkpoint'],
    ]);
    expect(await verify(receipt)).toMatchObject({ ok: true, leaf: { decision_id } });
  });

  test('is no part of the decision, whatever the caller prefers', async () => {
    const headers = { prefer: 'receipt' };
    const { body, headers: sent } = await check(service, ALLOWED, { key: service.liveKey, headers });
    expect([body.receipt, sent.get('preference-applied')]).toEqual([undefined, null]);
  });

  test('is the same later, to the byte, for the owner and the requesting key, and for nobody else', async () => {
    const { decision_id, receipt } = await proven(ALLOWED);
    await proven(PAUSED);
    const read = (key: string) => ask(`${service.url}/v1/decisions/${decision_id}/receipt`, { key });
    expect((await read(service.liveKey)).body).toEqual(receipt);
    expect((await read(service.ownerKey)).body).toEqual(receipt);
    expect((await read(service.developmentKey)).status).toBe(404);
    expect((await read((await signUp(service)).ownerKey)).status).toBe(404);
  });

  test('many concurrent ones share checkpoints, and every one verifies', async () => {
    const decided = await Promise.all(Array.from({ length: 100 }, () => proven(ALLOWED)));
    for (const { receipt } of decided) expect((await verify(receipt)).ok).toBe(true);
    const notes = new Set(decided.map(({ receipt }) => receipt.checkpoint));
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
    const { receipt } = await proven(ALLOWED);
    expect(await verify(receipt, changes)).toMatchObject({ ok: false, reason });
  });

  test('a pause, a development key, a stranger and a forged proof', async () => {
    const paused = await proven(PAUSED);
    expect(await verify(paused.receipt, { intent: PAUSED })).toMatchObject({ reason: 'not_allowed' });
    const development = await proven(ALLOWED, service.developmentKey);
    expect(await verify(development.receipt)).toMatchObject({ reason: 'development_key' });
    expect((await verify(development.receipt, { acceptDevelopment: true })).ok).toBe(true);
    const { receipt } = await proven(ALLOWED);
    const other = await startTestService();
    const otherKeys = (await ask(`${other.url}/v1/audit/key`)).text;
    await other.stop();
    expect(await verify(receipt, { keys: otherKeys })).toMatchObject({ reason: 'unknown_signer' });
    const swapped = { ...receipt, leaf: paused.receipt.leaf };
    expect(await verify(swapped)).toMatchObject({ reason: 'forged_proof' });
  });

  test('an allow in a workspace from self-service sign-up', async () => {
    const stranger = await signUp(service);
    const { receipt } = await proven(ALLOWED, stranger.developmentKey);
    expect(await verify(receipt, { acceptDevelopment: true })).toMatchObject({
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
    const body = await proven(intent, own.liveKey, own);
    expect([body.decision, body.evaluatedDecision]).toEqual(['allow', 'pause']);
    const question = { intent, keys: ownKeys, workspace: own.workspace };
    expect(await verify(body.receipt, question)).toMatchObject({ reason: 'observed_allow' });
    expect((await verify(body.receipt, { ...question, acceptObserved: true })).ok).toBe(true);
    await own.stop();
  });
});
