/** Every race on a review has one winner, on both stores, also between two services on one store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { join as joinPeople, say } from '../people/people-kit.ts';
import { startTestService } from '../start-service.ts';
import { decidingOnBothStores, pack } from './reviews-kit.ts';

const ROUNDS = 12;

decidingOnBothStores((kitNow) => {
  test('of concurrent approve, reject and cancel, one wins and the log has one end', async () => {
    const kit = kitNow();
    const ends = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { review } = await kit.opened();
      const acts = [
        () => kit.approve(review),
        () => kit.reject(review),
        () => kit.call('POST', `/v1/reviews/${review.id}/cancel`, kit.service.developmentKey),
      ];
      for (let turns = round % 3; turns > 0; turns -= 1) acts.push(acts.shift()!);
      const replies = await Promise.all(acts.map((act) => act()));
      const { state } = await kit.read(review.id);
      ends.add(state);
      const won = replies.filter(({ status }) => status === 200);
      // Cancelling an approval that came first is refused, because only an owner may.
      expect(won.map(({ body }) => body.review.state)).toEqual([state]);
      for (const { status } of replies) expect([200, 403, 409]).toContain(status);
    }
    expect(ends.size).toBeGreaterThan(1);
  });

  test('many concurrent opens give one review', async () => {
    const kit = kitNow();
    const { decisionId } = await kit.pause();
    const replies = await Promise.all(Array.from({ length: 10 }, () => kit.open(decisionId)));
    expect(new Set(replies.map(({ body }) => body.review.id)).size).toBe(1);
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  test('the same verdict many times concurrently is one verdict', async () => {
    const kit = kitNow();
    const { review } = await kit.opened();
    const replies = await Promise.all(Array.from({ length: 8 }, () => kit.approve(review)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await kit.read(review.id)).verdicts).toHaveLength(1);
  });

  test('an approval against a cancel by its owner: no allow comes after the cancel', async () => {
    const kit = kitNow();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { intent, evidence, review } = await kit.approved();
      const [cancelled, used] = await Promise.all([
        kit.call('POST', `/v1/reviews/${review.id}/cancel`, kit.service.ownerKey),
        kit.again(intent, evidence),
      ]);
      expect(cancelled.status).toBe(200);
      expect(['allow', 'pause']).toContain(used.body.decision);
      const late = await kit.again(intent, evidence);
      expect(late.body.decision).toBe('pause');
    }
  });
});

test('two services on one store: one open review, and a verdict on one is read on the other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-two-'));
  const one = await startTestService({ folder });
  const two = await startTestService({ folder });
  const { developmentKey: key, ownerKey } = one;
  const intent = { system: 'crm', operation: 'merge', requiredControls: ['approval'] };
  const { body } = await ask(`${one.url}/v1/check-write`, { key, json: intent });
  const open = (url: string) => ask(`${url}/v1/reviews`, { key, json: { decision_id: body.decision_id } });
  const opened = await Promise.all([open(one.url), open(two.url), open(one.url), open(two.url)]);
  expect(opened.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 201]);
  const { id, intentDigest } = opened[0]!.body.review;
  const json = { verdict: 'approve', intentDigest };
  expect((await ask(`${one.url}/v1/reviews/${id}/verdicts`, { key: ownerKey, json })).status).toBe(200);
  expect((await ask(`${two.url}/v1/reviews/${id}`, { key })).body.review.state).toBe('approved');
  await Promise.all([one.stop(), two.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

test('two services on one store: a person disabled at one neither decides nor counts at the other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-two-'));
  const one = await startTestService({ folder });
  const two = await startTestService({ folder });
  const { developmentKey: key, ownerKey } = one;
  const policies = { documents: [pack({ approval: { assurance: 'attested', review: true } })] };
  await ask(`${one.url}/v1/policies`, { method: 'PUT', key: ownerKey, json: policies });
  for (let round = 0; round < 4; round += 1) {
    const ada = await joinPeople(one);
    const opened = [];
    for (const objectRef of [`decided-${round}`, `open-${round}`]) {
      const intent = { system: 'crm', operation: 'merge', objectRef, requiredControls: ['approval'] };
      const { body } = await ask(`${one.url}/v1/check-write`, { key, json: intent });
      const json = { decision_id: body.decision_id };
      opened.push({ intent, review: (await ask(`${one.url}/v1/reviews`, { key, json })).body.review });
    }
    const [decided, waiting] = opened as [(typeof opened)[0], (typeof opened)[0]];
    const elsewhere = { ...two, workspace: one.workspace };
    expect((await say(elsewhere, ada, decided.review)).body.review.state).toBe('approved');
    const { evidence } = (await ask(`${two.url}/v1/reviews/${decided.review.id}`, { key })).body.review;
    await ask(`${one.url}/v1/people/${ada.id}`, { method: 'DELETE', key: ownerKey });
    // Immediately: the session may still be cached there, and does not count.
    expect([401, 403]).toContain((await say(elsewhere, ada, waiting.review)).status);
    const json = { ...decided.intent, controlEvidence: evidence };
    const { body } = await ask(`${two.url}/v1/check-write`, { key, json });
    expect([body.decision, body.reason_code]).toEqual(['pause', 'CONTROL_EVIDENCE_UNTRUSTED']);
  }
  await Promise.all([one.stop(), two.stop()]);
  rmSync(folder, { recursive: true, force: true });
});
