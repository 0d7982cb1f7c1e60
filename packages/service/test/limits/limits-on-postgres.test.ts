/** Limits on PostgreSQL, where a commit that draws is several statements and replicas share the counters. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onServer, startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { ask } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';
import { type LimitsKit, NOON_MS, PER_CUSTOMER, refund, startLimits, tally } from './limits-kit.ts';

const MAX = 50;
/** Any number that no other lock uses. */
const GATE = 4_711;

let server: TestServer;
let url: string;
let kit: LimitsKit;
let other: TestService;
beforeAll(async () => {
  server = await startTestServer();
  url = await server.newDatabase();
  kit = await startLimits({ databaseUrl: url });
  other = await startTestService({ clock: () => NOON_MS, settings: { databaseUrl: url } });
  await kit.apply({ ...PER_CUSTOMER, max: MAX });
  // Every appending commit waits at its very end while a test holds the gate.
  await onServer(url, (client) =>
    client.query(`CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_advisory_xact_lock_shared(${GATE}); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER gate AFTER UPDATE ON writecheck.log DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.size <> OLD.size) EXECUTE FUNCTION wait_at_gate()`),
  );
});
afterAll(async () => {
  await Promise.all([kit.stop(), other.stop()]);
  await server.remove();
});

const atOther = (intent: object) =>
  ask(`${other.url}/v1/check-write`, { key: kit.service.liveKey, json: intent });

/** Runs `work` with the server process of a commit that has done everything but end. */
const whileCommitting = (intent: object, work: (waiting: number) => Promise<unknown>) =>
  onServer(url, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [GATE]);
    const asked = kit.check(intent);
    const waiting = async (): Promise<number | undefined> => {
      const { rows } = await client.query(
        "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted",
        [GATE],
      );
      return rows[0]?.pid;
    };
    await expect.poll(waiting, { interval: 5 }).toBeDefined();
    await work((await waiting())!);
    await client.query('SELECT pg_advisory_unlock($1)', [GATE]);
    return asked;
  });

test('a commit that draws and has not ended is not mistaken for lost entries', async () => {
  const { body } = await whileCommitting(refund('C-gate'), () => kit.service.store.look());
  expect(body).toMatchObject({ decision: 'allow', limits: [{ drawn: '0' }] });
  expect((await kit.check(refund('C-gate'))).body).toMatchObject({
    decision: 'allow',
    limits: [{ drawn: '1' }],
  });
});

test('a commit that fails at its very end draws nothing, and the service continues', async () => {
  const { status, body } = await whileCommitting(refund('C-cut'), (waiting) =>
    onServer(url, (client) => client.query('SELECT pg_terminate_backend($1)', [waiting])),
  );
  expect(status).toBe(503);
  expect(body).toMatchObject({ allowed: false, error: { code: 'store_unavailable' } });
  await kit.service.store.look();
  expect((await kit.check(refund('C-cut'))).body).toMatchObject({
    decision: 'allow',
    limits: [{ drawn: '0' }],
  });
});

test('200 concurrent checks on two replicas are settled, and exactly what the limit leaves is allowed', async () => {
  const ways = Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? kit.check : atOther));
  const replies = await Promise.all(ways.map((check) => check(refund('C-hot'))));
  for (const [i, { status, body }] of replies.entries()) {
    if (status === 200) continue;
    // Only a machine that is busy otherwise gets here. The check may have been recorded, so it is repeated.
    expect(status, JSON.stringify(body)).toBe(503);
    expect(body).toMatchObject({ allowed: false });
    await expect.poll(async () => (await ways[i]!(refund('C-hot'))).status).toBe(200);
  }
  const drawn = replies.filter(({ body }) => body.allowed).map(({ body }) => Number(body.limits[0].drawn));
  expect(new Set(drawn).size).toBe(drawn.length);
  expect(Math.max(...drawn)).toBeLessThan(MAX);
  if (replies.every(({ status }) => status === 200))
    expect(tally(replies)).toEqual({ allow: MAX, pause: 200 - MAX });
  const { groups } = (await kit.get('/v1/limits/refunds?limit=200')).body;
  expect(groups.find(({ group }: { group: string[] }) => group[0] === 'C-hot').drawn).toBe(String(MAX));
});
