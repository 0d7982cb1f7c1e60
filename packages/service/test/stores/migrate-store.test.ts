/** Moving from SQLite to PostgreSQL loses nothing, and no caller can tell that it happened. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onServer, startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { ALLOWED, ask, check, PAUSED } from '../ask.ts';
import { auditedService, copyOf, exportOf, newFolder, verdictOf } from '../audit/audit-kit.ts';
import { join as joined } from '../people/people-kit.ts';
import { originOf, signIn } from '../sign-in-kit.ts';
import { runWritecheck } from '../spawn-service.ts';
import { startTestService } from '../start-service.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

test('everything is there after a migration to PostgreSQL, and the log continues and verifies', async () => {
  const folder = newFolder();
  const { service: before, stranger, keys, decisionIds } = await auditedService(4, { folder });
  const { ownerKey, liveKey, workspace } = before;
  const repeated = { key: liveKey, headers: { 'idempotency-key': 'again' } };
  const first = await check(before, ALLOWED, repeated);
  const webhook = { url: 'https://hooks.example.com/a?b=c', events: ['decision.paused'] };
  await ask(`${before.url}/v1/webhooks`, { key: ownerKey, json: webhook });
  const ada = await joined(before, { groups: ['finance'] });
  // The other workspace has no bundle, so every control can be reviewed there.
  const paused = await check(before, PAUSED, { key: stranger.developmentKey });
  const { body: opened } = await ask(`${before.url}/v1/reviews`, {
    ...{ key: stranger.developmentKey, json: { decision_id: paused.body.decision_id } },
  });
  const { id, intentDigest } = opened.review;
  const json = { verdict: 'approve', intentDigest };
  await ask(`${before.url}/v1/reviews/${id}/verdicts`, { key: stranger.ownerKey, json });
  const exported = await exportOf(before);
  const paths = [
    '/v1/people',
    '/v1/usage',
    '/v1/keys',
    '/v1/decisions?limit=200',
    '/v1/policies',
    '/v1/policies/revisions',
    '/v1/webhooks',
  ];
  const answersOf = (url: string) =>
    Promise.all([
      ...paths.map(async (path) => (await ask(`${url}${path}`, { key: ownerKey })).body),
      ask(`${url}/v1/reviews`, { key: stranger.ownerKey }).then(({ body }) => body.reviews),
    ]);
  const answers = await answersOf(before.url);
  expect(answers.at(-1)).toMatchObject([{ id, state: 'approved' }]);
  await before.stop();

  const databaseUrl = await server.newDatabase();
  const migrate = () => runWritecheck(['migrate-store', '--data', folder, '--database-url', databaseUrl]);
  const migrated = await migrate();
  expect(migrated.stderr).toBe('');
  expect(migrated.stdout).toContain('copied 2 workspaces');
  expect((await migrate()).stderr).toContain('already contains a workspace');
  // Simulates a kill between the two databases: the next run closes the old store.
  const old = new Database(join(folder, 'writecheck.db'));
  old.exec('DROP TRIGGER moved_segment; DROP TRIGGER moved_log');
  old.close();
  expect((await migrate()).stdout).toContain('an earlier run had copied everything');
  expect((await migrate()).stderr).toContain('already contains a workspace');

  const after = await startTestService({ folder, settings: { databaseUrl } });
  const withoutUses = (all: readonly unknown[]) =>
    JSON.parse(
      JSON.stringify(all)
        .replaceAll(/"last(Used|Seen)At":"[^"]*"/g, '"":0')
        .replaceAll(/localhost:[0-9]+/g, 'localhost'),
    );
  expect(withoutUses(await answersOf(after.url))).toEqual(withoutUses(answers));
  expect(await exportOf({ ...after, ownerKey })).toEqual(exported);
  // People keep their passkeys, and sign in again.
  expect((await ask(`${after.url}/v1/me`, { key: ada.token })).status).toBe(401);
  const { reply } = await signIn(after, ada.device, { origin: originOf(after) });
  expect([reply.status, reply.body.person?.id]).toEqual([201, ada.id]);
  expect((await check(after, ALLOWED, repeated)).text).toBe(first.text);
  const redeemed = decisionIds[0]!;
  const found = await ask(`${after.url}/v1/decisions/${redeemed}`, { key: ownerKey });
  const digest = { intentDigest: found.body.response.intentDigest };
  const again = await ask(`${after.url}/v1/decisions/${redeemed}/redeem`, { key: liveKey, json: digest });
  expect(again.body.error.code).toBe('already_redeemed');

  expect((await check(after, ALLOWED, { key: liveKey })).status).toBe(200);
  const longer = await exportOf({ ...after, ownerKey });
  expect(longer.length).toBe(exported.length + 1);
  expect(await verdictOf(longer, { keys, workspace })).toMatchObject({ ok: true });
  await after.stop();
  rmSync(folder, { recursive: true });
});

test('the old store takes no more decisions, neither in a running process nor in a new one', async () => {
  const folder = newFolder();
  const { service } = await auditedService(1, { folder });
  const databaseUrl = await server.newDatabase();
  const migrated = await runWritecheck(['migrate-store', '--data', folder, '--database-url', databaseUrl]);
  expect(migrated).toMatchObject({ code: 0, stderr: '' });
  const late = await check(service, ALLOWED, { key: service.liveKey });
  expect([late.status, late.body.error.code]).toEqual([503, 'store_unavailable']);
  expect(late.body.error.message).toContain('moved to PostgreSQL');
  await service.stop();
  const again = await runWritecheck(['serve', '--data', folder, '--port', '0']);
  expect(again.code).toBe(1);
  expect(again.stderr).toContain('moved to PostgreSQL');
  rmSync(folder, { recursive: true });
});

test('a migration that is not possible changes nothing', async () => {
  const empty = newFolder();
  const databaseUrl = await server.newDatabase();
  const nothing = await runWritecheck(['migrate-store', '--data', empty, '--database-url', databaseUrl]);
  expect(nothing).toMatchObject({ code: 1, stdout: '' });
  expect(nothing.stderr).toContain('there is no store in');
  const nowhere = await runWritecheck(['migrate-store', '--data', empty]);
  expect(nowhere.stderr).toContain('name the target');

  const { service } = await auditedService(1, { folder: empty });
  await service.stop();
  const robbed = copyOf(empty);
  const { default: Database } = await import('better-sqlite3');
  const db = new Database(`${robbed}/writecheck.db`);
  db.exec('DELETE FROM segment WHERE position = (SELECT max(position) FROM segment)');
  db.close();
  const broken = await runWritecheck(['migrate-store', '--data', robbed, '--database-url', databaseUrl]);
  expect(broken.stderr).toContain('does not have the entries it says it has; nothing was changed');
  await onServer(databaseUrl, async (client) => {
    const { rows } = await client.query('SELECT count(*)::int AS rows FROM writecheck.workspace');
    expect(rows).toEqual([{ rows: 0 }]);
  });
  for (const folder of [empty, robbed]) rmSync(folder, { recursive: true });
});
