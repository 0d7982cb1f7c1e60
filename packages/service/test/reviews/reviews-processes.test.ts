/**
 * Reviews with real processes on one store: kill -9 at any step.
 * @module-tag nightly
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { ask, type Reply } from '../ask.ts';
import { randomFrom } from '../running/kill-torture.ts';
import { ownerKeyOf, type Spawned, spawnWritecheck } from '../spawn-service.ts';

const KILLS = 5;
const LIVES_OF_KILL = 6;

describe.each(['SQLite', 'PostgreSQL'])('on %s', (kind) => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-processes-'));
  let server: TestServer | null = null;
  let environment: NodeJS.ProcessEnv = {};
  let one: Spawned;
  let ownerKey = '';
  let key = '';

  const start = (): Spawned =>
    spawnWritecheck(['serve', '--port', '0', '--data', folder, '--log-level', 'silent'], environment);

  beforeAll(async () => {
    server = kind === 'SQLite' ? null : await startTestServer();
    if (server !== null) environment = { WRITECHECK_DATABASE_URL: await server.newDatabase() };
    one = start();
    await one.listening;
    ownerKey = ownerKeyOf(one.stdout());
    key = /wck_dev_\w+/.exec(one.stdout())![0];
  });
  afterAll(async () => {
    one.child.kill('SIGKILL');
    await one.finished;
    await server?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const newIntent = () => ({
    ...{ system: 'crm', operation: 'merge', objectRef: randomUUID() },
    requiredControls: ['approval'],
  });
  const approve = (url: string, { id, intentDigest }: { id: string; intentDigest: string }) =>
    ask(`${url}/v1/reviews/${id}/verdicts`, { key: ownerKey, json: { verdict: 'approve', intentDigest } });

  test('kill -9 between any two steps loses nothing acknowledged, and every write is approved and allowed once', async () => {
    const random = randomFrom(20_261_116);
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    let url = await one.listening;
    const deadlineMs = performance.now() + 150_000;
    /** Repeats the request until a process responds. */
    const until = async (request: () => Promise<Reply>): Promise<Reply> => {
      for (;;) {
        const reply = await request().catch(() => null);
        if (reply !== null && reply.status < 500) return reply;
        if (performance.now() > deadlineMs) throw new Error('nothing responds any more');
        await pause(10);
      }
    };
    const live = async (): Promise<string> => {
      const intent = newIntent();
      const check = (json: object, name: string) =>
        until(() => ask(`${url}/v1/check-write`, { key, json, headers: { 'idempotency-key': name } }));
      const { decision_id: decisionId } = (await check(intent, randomUUID())).body;
      const open = () => until(() => ask(`${url}/v1/reviews`, { key, json: { decision_id: decisionId } }));
      const { review } = (await open()).body;
      expect((await open()).body.review.id).toBe(review.id);
      const approved = await until(() => approve(url, review));
      // Closed if the approval was recorded and the process was killed before it responded.
      expect(approved.body.error?.code ?? 'approved').toMatch(/^(approved|review_closed)$/);
      const read = await until(() => ask(`${url}/v1/reviews/${review.id}`, { key }));
      expect(read.body.review).toMatchObject({ state: 'approved', verdicts: [{ verdict: 'approve' }] });
      const withEvidence = { ...intent, controlEvidence: read.body.review.evidence };
      const name = randomUUID();
      const allowed = await check(withEvidence, name);
      expect(allowed.body.decision).toBe('allow');
      expect((await check(withEvidence, name)).body.decision_id).toBe(allowed.body.decision_id);
      const other = await check(withEvidence, randomUUID());
      expect(other.body.decision).toBe('pause');
      return review.id;
    };
    for (let kill = 0; kill < KILLS; kill += 1) {
      const lives = Array.from({ length: LIVES_OF_KILL }, live);
      await pause(random() * 120);
      one.child.kill('SIGKILL');
      await one.finished;
      one = start();
      url = await one.listening;
      expect(new Set(await Promise.all(lives)).size).toBe(LIVES_OF_KILL);
    }
  }, 180_000);
});
