/** The client's part of reviews against the real service, so that both use every member alike. */
import { createClient } from '@writecheck/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ask } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

let writes = 0;
function newIntent() {
  writes += 1;
  const target = { system: 'crm', objectType: 'contact', objectRef: `c-${writes}`, field: 'email' };
  return { ...target, agentValue: 'ada@example.org', requiredControls: ['approval'] };
}

const client = (retries = 0) =>
  createClient({ baseUrl: service.url, apiKey: service.developmentKey, timeoutMs: 10_000, retries });

async function decide(id: string, verdict: 'approve' | 'reject'): Promise<void> {
  const { body } = await ask(`${service.url}/v1/reviews/${id}`, { key: service.ownerKey });
  const { intentDigest } = (body as { review: { intentDigest: string } }).review;
  const json = { verdict, intentDigest, comment: 'looked at' };
  expect(
    (await ask(`${service.url}/v1/reviews/${id}/verdicts`, { key: service.ownerKey, json })).status,
  ).toBe(200);
}

async function opened(intent: ReturnType<typeof newIntent>, name: object = {}): Promise<string> {
  const outcome = await client().guardWrite(intent, () => {}, { review: { waitMs: 0 }, ...name });
  expect(outcome).toMatchObject({ executed: false, stopped: 'out_of_time', review: { state: 'open' } });
  if (outcome.executed || outcome.review === undefined) throw new Error('no review was opened');
  return outcome.review.id;
}

test('a paused write waits for its approval, runs once, and uses it up', async () => {
  const intent = newIntent();
  const id = await opened(intent);
  const running = client().guardWrite(
    () => intent,
    (decision) => decision,
    { review: { waitMs: 30_000, justification: 'she wrote', onBehalfOf: 'ada@example.com' } },
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  await decide(id, 'approve');
  const outcome = await running;
  expect(outcome).toMatchObject({
    executed: true,
    decision: { decision: 'allow' },
    review: { id, state: 'approved' },
  });
  const decision = outcome.decision as { decision_id: string; intentDigest: string };
  expect(await client().redeem(decision)).toMatchObject({ cause: { code: 'already_redeemed' } });
  const again = await client().resumeWrite(id, intent, () => {});
  expect(again).toMatchObject({ executed: false, cause: { kind: 'not_approved' } });
});

test('a rejected write does not run, now or in a later attempt', async () => {
  const intent = newIntent();
  const id = await opened(intent);
  await decide(id, 'reject');
  const write = vi.fn();
  expect(await client().guardWrite(intent, write, { review: { waitMs: 5000 } })).toMatchObject({
    stopped: 'rejected',
    review: { id },
  });
  expect(await client().waitForReview(id)).toMatchObject({
    review: { verdicts: [{ verdict: 'reject', comment: 'looked at' }] },
  });
  expect(write).not.toHaveBeenCalled();
});

test.each([{ callId: 'call-of-this-test' }, { idempotencyKey: 'order-of-this-test' }])(
  'a named call whose write failed and is safe to repeat gets its allow again, although the approval is used: %j',
  async (named) => {
    const name = { ...named, once: false };
    const intent = newIntent();
    const id = await opened(intent, name);
    await decide(id, 'approve');
    const options = { review: { waitMs: 0 }, ...name };
    const failing = client().guardWrite(intent, () => Promise.reject(new Error('503')), options);
    await expect(failing).rejects.toThrow('503');
    const write = vi.fn();
    expect(
      await client().guardWrite(intent, write, { review: { waitMs: 0 }, callId: 'another' }),
    ).toMatchObject({
      executed: false,
    });
    expect(write).not.toHaveBeenCalled();
    expect(await client().guardWrite(intent, write, options)).toMatchObject({
      executed: true,
      review: { id },
    });
    expect(write).toHaveBeenCalledTimes(1);
  },
);

test.each([{ callId: 'taken-call-of-this-test' }, { idempotencyKey: 'taken-order-of-this-test' }])(
  'a named call whose write may have run does not run again, with or without its review: %j',
  async (name) => {
    const intent = newIntent();
    const id = await opened(intent, name);
    await decide(id, 'approve');
    const options = { review: { waitMs: 0 }, ...name };
    const failing = client().guardWrite(intent, () => Promise.reject(new Error('503')), options);
    await expect(failing).rejects.toThrow('503');
    const write = vi.fn();
    expect(await client().guardWrite(intent, write, options)).toMatchObject({ stopped: 'taken' });
    expect(await client().resumeWrite(id, intent, write, name)).toMatchObject({ stopped: 'taken' });
    expect(write).not.toHaveBeenCalled();
  },
);

test('four runs of one call, each with fresh evidence, write once', async () => {
  const intent = newIntent();
  const fresh = () => ({
    ...intent,
    controlEvidence: [
      { controlId: 'scan', source: 'scanner', result: 'PASS', evidenceRef: `urn:${crypto.randomUUID()}` },
    ],
  });
  const name = { callId: 'four-runs-of-this-test' };
  const id = await opened(fresh(), name);
  await decide(id, 'approve');
  const write = vi.fn();
  const runs = await Promise.all(
    Array.from({ length: 4 }, () => client().guardWrite(fresh(), write, { review: { waitMs: 0 }, ...name })),
  );
  expect(write).toHaveBeenCalledTimes(1);
  expect(runs.map((outcome) => (outcome.executed ? 'ran' : outcome.stopped)).sort()).toEqual([
    'ran',
    'taken',
    'taken',
    'taken',
  ]);
});

test('another process resumes, with exactly the approved write', async () => {
  const intent = newIntent();
  const id = await opened(intent);
  await decide(id, 'approve');
  const write = vi.fn();
  const other = () => ({ ...intent, agentValue: 'evil@example.org' });
  expect(await client().resumeWrite(id, other, write)).toMatchObject({ stopped: 'changed_since_approval' });
  expect(await client().resumeWrite(id, () => intent, write)).toMatchObject({ executed: true });
  expect(write).toHaveBeenCalledTimes(1);
});

test('requirements name what a write needs', async () => {
  expect(await client().requirements(newIntent())).toMatchObject({
    kind: 'requirements',
    requirements: [{ controlId: 'approval' }],
    evaluated: { decision: 'pause' },
  });
});
