/** A restored backup that contains people, passkeys, sessions, reviews and webhooks, on both stores. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { restoreCommand } from '../../../cli/src/operator/continue-store.ts';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { ask } from '../ask.ts';
import { exportOf, newFolder, verdictOf } from '../audit/audit-kit.ts';
import { pack } from '../reviews/reviews-kit.ts';
import { post } from '../sign-in-kit.ts';
import { startTestService, type TestService } from '../start-service.ts';
import { openReceiver } from '../webhooks/webhooks-kit.ts';
import { join, sign } from './people-kit.ts';

describe.each(['SQLite', 'PostgreSQL'])('on %s', (kind) => {
  let server: TestServer | null = null;
  beforeAll(async () => {
    server = kind === 'SQLite' ? null : await startTestServer();
  });
  afterAll(() => server?.remove());

  test('approvals are cancelled; people, passkeys, open reviews and webhooks continue', async () => {
    const folder = newFolder();
    const database = server === null ? {} : { databaseUrl: await server.newDatabase() };
    const settings = { publicUrl: 'https://desk.example.com', webhookAllow: '127.0.0.1', ...database };
    const before = await startTestService({ folder, settings });
    const { workspace, ownerKey, developmentKey: key } = before;
    const rule = { assurance: 'attested', review: { identity: 'passkey' } };
    const json = { documents: [pack({ approval: rule })] };
    await ask(`${before.url}/v1/policies`, { method: 'PUT', key: ownerKey, json });
    const ada = await join(before);
    const intentOf = (objectRef: string) => ({
      system: 'crm',
      operation: 'merge',
      objectRef,
      requiredControls: ['approval'],
    });
    const opened = async ({ url }: TestService, objectRef: string) => {
      const { body } = await ask(`${url}/v1/check-write`, { key, json: intentOf(objectRef) });
      return (await ask(`${url}/v1/reviews`, { key, json: { decision_id: body.decision_id } })).body.review;
    };
    const read = async ({ url }: TestService, { id }: { readonly id: string }) =>
      (await ask(`${url}/v1/reviews/${id}`, { key })).body.review;
    const [approved, open] = [await opened(before, 'approved'), await opened(before, 'open')];
    expect((await sign(before, ada, approved)).status).toBe(200);
    const { evidence } = await read(before, approved);
    const receiver = await openReceiver();
    const hook = { url: receiver.url, events: ['review.cancelled', 'decision.paused'] };
    await ask(`${before.url}/v1/webhooks`, { key: ownerKey, json: hook });
    const keys = (await ask(`${before.url}/v1/audit/key`)).text;
    await before.stop();

    await restoreCommand({ freeze: false, ...settings, data: folder });

    const after = { ...(await startTestService({ folder, settings })), workspace, ownerKey };
    const withEvidence = { ...intentOf('approved'), controlEvidence: evidence };
    const used = await ask(`${after.url}/v1/check-write`, { key, json: withEvidence });
    expect([used.body.decision, used.body.reason_code]).toEqual(['pause', 'CONTROL_EVIDENCE_UNTRUSTED']);
    expect(await read(after, approved)).toMatchObject({ state: 'cancelled', because: 'cancelled' });
    const { body } = await post(after, '/v1/sessions/passkey/begin', {});
    const credential = ada.device.get(body.options);
    const signedIn = await post(after, '/v1/sessions/passkey/finish', { credential });
    expect([signedIn.status, signedIn.body.person?.id]).toEqual([201, ada.id]);
    const later = { ...ada, token: signedIn.body.session.token };
    expect((await sign(after, later, open)).body.review.state).toBe('approved');
    const fresh = { ...intentOf('open'), controlEvidence: (await read(after, open)).evidence };
    const allowed = await ask(`${after.url}/v1/check-write`, { key, json: fresh });
    expect(allowed.body.decision).toBe('allow');
    const messages = (await receiver.until(2)).map(({ body: { type, data } }) => [
      type,
      data.reviewId ?? data.decisionId,
    ]);
    expect(messages).toContainEqual(['review.cancelled', approved.id]);
    expect(messages).toContainEqual(['decision.paused', used.body.decision_id]);
    expect(messages.length).toBe(2);
    const verdict = await verdictOf(await exportOf(after), { keys, workspace });
    expect(verdict).toMatchObject({ ok: true, counts: { continuations: 1 } });
    await after.stop();
    await receiver.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
