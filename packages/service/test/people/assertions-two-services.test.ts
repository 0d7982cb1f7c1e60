/**
 * Forged, replayed and re-targeted assertions against two services on one store: each refuses what the other
 * refuses.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, type Reply } from '../ask.ts';
import { pack } from '../reviews/reviews-kit.ts';
import { startTestService, type TestService } from '../start-service.ts';
import { assertionFor, batchAssertion, join as joinAs, say, sign } from './people-kit.ts';

const folder = mkdtempSync(join(tmpdir(), 'writecheck-two-'));
let one: TestService;
let two: TestService;
let both: readonly TestService[];

beforeAll(async () => {
  const settings = { publicUrl: 'https://desk.example.com' };
  one = await startTestService({ folder, settings });
  const { workspace, ownerKey } = one;
  two = { ...(await startTestService({ folder, settings })), workspace, ownerKey };
  both = [one, two];
  const review = { identity: 'passkey', approvals: 2 };
  const json = { documents: [pack({ approval: { assurance: 'attested', review } })] };
  await ask(`${one.url}/v1/policies`, { method: 'PUT', key: one.ownerKey, json });
});
afterAll(async () => {
  await Promise.all([one.stop(), two.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

let writes = 0;

async function opened() {
  writes += 1;
  const intent = {
    system: 'crm',
    operation: 'merge',
    objectRef: `C-${writes}`,
    requiredControls: ['approval'],
  };
  const key = one.developmentKey;
  const { body } = await ask(`${one.url}/v1/check-write`, { key, json: intent });
  return (await ask(`${one.url}/v1/reviews`, { key, json: { decision_id: body.decision_id } })).body.review;
}

const codes = (replies: readonly Reply[]) =>
  replies.map(({ status, body }) => `${status} ${body.error?.code ?? body.review.state}`).toSorted();

const at = (services: readonly TestService[], send: (service: TestService) => Promise<Reply>) =>
  Promise.all(services.map(send));

test('an assertion that is forged or for another review is refused by both, and so is a session alone', async () => {
  const [ada, eve] = [await joinAs(one), await joinAs(two)];
  const [review, other] = [await opened(), await opened()];
  const forged = [
    assertionFor(one, ada, other),
    assertionFor(one, eve, review),
    assertionFor(one, ada, review, { verdict: 'reject', comment: 'no' }),
    assertionFor(one, ada, review, { lies: { otherKey: true } }),
    assertionFor(one, ada, review, { lies: { origin: one.url } }),
    batchAssertion(one, ada, [other]),
    ada.device.assertion(Buffer.concat([Buffer.alloc(32, 1), Buffer.from('signin')])),
  ];
  for (const assertion of forged) {
    const replies = await at(both, (service) => sign(service, ada, review, { assertion }));
    expect(codes(replies)).toEqual(['422 assertion_invalid', '422 assertion_invalid']);
  }
  const alone = await at(both, (service) => say(service, ada, review));
  expect(codes(alone)).toEqual(['403 identity_too_weak', '403 identity_too_weak']);
});

test('one assertion sent to both many times concurrently is one of the two approvals needed', async () => {
  const ada = await joinAs(one);
  const review = await opened();
  const assertion = assertionFor(one, ada, review);
  const replies = await at([...both, ...both, ...both], (service) =>
    sign(service, ada, review, { assertion }),
  );
  expect(codes(replies)).toEqual(Array(6).fill('200 open'));
  const { body } = await ask(`${two.url}/v1/reviews/${review.id}`, { key: one.ownerKey });
  expect(body.review.verdicts.length).toBe(1);
});

test('an assertion withdrawn at one is accepted at neither, whatever races with the withdrawal', async () => {
  for (let round = 0; round < 4; round += 1) {
    const ada = await joinAs(one);
    const review = await opened();
    const assertion = assertionFor(one, ada, review);
    expect((await sign(one, ada, review, { assertion })).status).toBe(200);
    const withdrawn = () =>
      ask(`${one.url}/v1/reviews/${review.id}/verdicts/mine`, { method: 'DELETE', key: ada.token });
    const [, raced] = await Promise.all([withdrawn(), sign(two, ada, review, { assertion })]);
    expect(['200 open', '422 assertion_invalid']).toContain(codes([raced!])[0]);
    const late = await at(both, (service) => sign(service, ada, review, { assertion }));
    expect(codes(late)).toEqual(['422 assertion_invalid', '422 assertion_invalid']);
    const { body } = await ask(`${two.url}/v1/reviews/${review.id}`, { key: one.ownerKey });
    expect(body.review.verdicts).toEqual([]);
  }
});

test('a passkey that was reset at one signs nothing at the other, not even immediately', async () => {
  const [ada, bob] = [await joinAs(one), await joinAs(one)];
  const review = await opened();
  expect((await sign(one, ada, review)).status).toBe(200);
  const reset = await ask(`${one.url}/v1/people/${ada.id}/invitation`, { method: 'POST', key: one.ownerKey });
  expect(reset.status).toBe(201);
  const replies = await at([two, one], (service) => sign(service, ada, review));
  for (const { status } of replies) expect([401, 403, 422]).toContain(status);
  // Her approval is gone with her passkey, so his is the first of two.
  expect(codes([await sign(two, bob, review)])).toEqual(['200 open']);
});
