/**
 * Bursts are served, lasting overload is refused quickly, and no workspace shuts out another workspace. The model in
 * `check-queue.test.ts` covers how long each waits: here all callers wait for the same busy machine.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testInPart } from '../../../../scripts/in-part.ts';
import { ALLOWED, ask, signUp } from '../ask.ts';
import { type Answered, callersOf, keepAsking, requestOf } from '../load.ts';
import { startTestService, type TestService } from '../start-service.ts';

let service: TestService;
let neighbourKey: string;

beforeAll(async () => {
  service = await startTestService({ settings: { logLevel: 'error' } });
  const { ownerKey } = await signUp(service, 'neighbour');
  const made = await ask(`${service.url}/v1/keys`, { key: ownerKey, json: { kind: 'live', name: 'live' } });
  neighbourKey = made.body.secret;
  const warmUp = keepAsking(await callersOf(service.url, requestOf(service.liveKey, ALLOWED), 16), 20);
  await pause(500);
  await warmUp.stop();
});
afterAll(() => service.stop());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const at = (answers: readonly Answered[], share: number): number =>
  answers.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b)[Math.floor((answers.length - 1) * share)] ??
  0;
const byStatus = (answers: readonly Answered[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const logSize = async () => (await service.store.logs()).reduce((sum, { size }) => sum + size, 0);

testInPart(
  {
    part: 200,
    whole: 1_000,
    named: (count) => `${count} connections that ask at the same moment are all answered`,
  },
  async (connections) => {
    const callers = await callersOf(service.url, requestOf(service.liveKey, ALLOWED), connections);
    const before = await logSize();
    const answers = await Promise.all(callers.map((caller) => caller.ask()));
    expect(byStatus(answers)).toEqual({ 200: connections });
    for (const { body } of answers) expect(JSON.parse(body).decision).toBe('allow');
    expect((await logSize()) - before).toBe(connections);
    for (const caller of callers) caller.end();
  },
);

test('lasting overload is refused with a time to wait, records nothing for it, and ends with the load', {
  tags: 'nightly',
  timeout: 60_000,
}, async () => {
  const before = await logSize();
  const load = keepAsking(await callersOf(service.url, requestOf(service.liveKey, ALLOWED), 600), 50);
  await pause(4_000);
  const answers = await load.stop();
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(100);
  for (const { head, body } of refused.slice(-100)) {
    expect(head).toMatch(/\r\nretry-after: 1\r\n/);
    expect(JSON.parse(body)).toMatchObject({ allowed: false, error: { code: 'overloaded' } });
  }
  const admitted = answers.filter(({ status }) => status === 200);
  expect(admitted.length + refused.length).toBe(answers.length);
  expect((await logSize()) - before).toBe(admitted.length);
  // A refused request has not waited in the queue.
  expect(at(refused, 0.5)).toBeLessThan(at(admitted, 0.5));
  await pause(1_500);
  const again = await callersOf(service.url, requestOf(service.liveKey, ALLOWED), 100);
  expect(byStatus(await Promise.all(again.map((caller) => caller.ask())))).toEqual({ 200: 100 });
  for (const caller of again) caller.end();
});

async function freezeUnderLoad(): Promise<readonly Answered[]> {
  const load = keepAsking(await callersOf(service.url, requestOf(service.liveKey, ALLOWED), 600), 50);
  await expect.poll(() => byStatus(load.answers)[503] ?? 0).toBeGreaterThan(100);
  const wish = requestOf(service.ownerKey, { reason: 'stop', scope: { system: 'elsewhere' } }, '/v1/freezes');
  const [owner] = await callersOf(service.url, wish, 1);
  const freezes: Answered[] = [];
  for (let count = 0; count < 5; count += 1) freezes.push(await owner!.ask());
  await load.stop();
  owner!.end();
  return freezes;
}

test('a freeze gets a response while checks are refused', async () => {
  expect(byStatus(await freezeUnderLoad())).toEqual({ 201: 5 });
});

test('and within a second', { tags: 'nightly' }, async () => {
  // Half of them: the callers share this machine.
  expect(at(await freezeUnderLoad(), 0.5)).toBeLessThan(1_000);
});

const EVALUATION = {
  subject: { type: 'agent', id: 'a' },
  action: { name: 'update' },
  resource: { type: 'customer', id: 'C-1' },
};

test.each([
  ['checks', '/v1/check-write', ALLOWED, 256],
  ['evaluations', '/access/v1/evaluations', { ...EVALUATION, evaluations: Array(50).fill({}) }, 64],
])(
  'a neighbour that floods the service with %s does not shut us out',
  { tags: 'nightly', timeout: 60_000 },
  async (_, path, body, connections) => {
    // Connected in advance: the system hands over new connections in order, whoever they are from.
    const callers = await callersOf(service.url, requestOf(service.liveKey, ALLOWED), 4);
    await Promise.all(callers.map((caller) => caller.ask()));
    const theirs = keepAsking(
      await callersOf(service.url, requestOf(neighbourKey, body, path), connections),
      20,
    );
    await pause(1_000);
    const ours = keepAsking(callers, 50);
    await pause(3_000);
    const own = await ours.stop();
    await theirs.stop();
    expect(own.length).toBeGreaterThan(4);
    expect(byStatus(own)).toEqual({ 200: own.length });
  },
);
