/** A backup of SQLite that was taken under load, put back as the operations page says. */
import { spawn } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALLOWED, ask } from './ask.ts';
import { newFolder } from './audit-kit.ts';
import { runWritecheck, type Spawned, spawnWritecheck } from './spawn-service.ts';

const CALLERS = 8;
const serve = (data: string): Spawned =>
  spawnWritecheck(['serve', '--port', '0', '--data', data, '--log-level', 'error']);

/** What `sqlite3 writecheck.db "VACUUM INTO 'backup.db'"` does, from a process of its own. */
const backUp = (database: string, to: string): Promise<number | null> => {
  const program = `new (require('better-sqlite3'))(process.argv[1], { readonly: true }).prepare('VACUUM INTO ?').run(process.argv[2])`;
  const child = spawn(process.execPath, ['-e', program, database, to], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  });
  return new Promise((resolve) => child.on('close', resolve));
};

const home = newFolder();
const desk = newFolder();
const file = (name: string) => join(desk, name);
const running: Spawned[] = [];
let ownerKey = '';
let liveKey = '';
/** Answered before the backup began, and in all. */
let before: readonly string[] = [];
const answered: string[] = [];

const asks = async (url: string): Promise<string> => {
  const { status, body, text } = await ask(`${url}/v1/check-write`, { key: liveKey, json: ALLOWED });
  if (status !== 200) throw new Error(text);
  return body.decision_id;
};

beforeAll(async () => {
  const service = serve(home);
  running.push(service);
  const url = await service.listening;
  ownerKey = /wck_own_\w+/.exec(service.stdout())![0];
  liveKey = (await ask(`${url}/v1/keys`, { key: ownerKey, json: { kind: 'live', name: 'load' } })).body
    .secret;
  let isLoading = true;
  const load = Array.from({ length: CALLERS }, async () => {
    while (isLoading) answered.push(await asks(url));
  });
  while (answered.length < 300) await sleep(5);
  writeFileSync(file('audit.key'), (await ask(`${url}/v1/audit/key`)).text);
  writeFileSync(file('before.txt'), (await ask(`${url}/v1/audit/checkpoint`)).text);
  before = [...answered];
  expect(await backUp(join(home, 'writecheck.db'), file('backup.db'))).toBe(0);
  const duringOrBefore = answered.length;
  expect(duringOrBefore).toBeGreaterThan(before.length);
  while (answered.length < duringOrBefore + 100) await sleep(5);
  isLoading = false;
  await Promise.all(load);
  writeFileSync(file('after.txt'), (await ask(`${url}/v1/audit/checkpoint`)).text);
  copyFileSync(join(home, 'signing-key.pem'), file('signing-key.pem'));
  service.child.kill('SIGTERM');
  expect((await service.finished).code).toBe(0);
}, 120_000);
afterAll(async () => {
  for (const { child, finished } of running) {
    child.kill('SIGKILL');
    await finished;
  }
  for (const folder of [home, desk]) rmSync(folder, { recursive: true, force: true });
});

test('a backup taken while checks run is restored in a new folder: nothing answered before it is lost, and the log verifies', async () => {
  const restored = newFolder();
  copyFileSync(file('backup.db'), join(restored, 'writecheck.db'));
  copyFileSync(file('signing-key.pem'), join(restored, 'signing-key.pem'));
  const continued = await runWritecheck(['audit', 'restore', '--data', restored]);
  expect(continued.code, continued.stderr).toBe(0);
  expect(continued.stdout).toMatch(
    /^log `log-\w+` continues log `log-\w+` from its checkpoint of \d+ entries/,
  );

  const service = serve(restored);
  running.push(service);
  const url = await service.listening;
  const found = await Promise.all(
    before.map(async (id) => (await ask(`${url}/v1/decisions/${id}`, { key: ownerKey })).body.decision_id),
  );
  expect(found).toEqual(before);
  const next = await asks(url);
  const { logs } = (await ask(`${url}/v1/audit/logs`)).body;
  expect(logs.map(({ isOpen }: { readonly isOpen: boolean }) => isOpen)).toEqual([false, true]);

  const asOwner = { WRITECHECK_URL: url, WRITECHECK_OWNER_KEY: ownerKey };
  const exported = await runWritecheck(['audit', 'export', '--out', file('log.ndjson')], asOwner);
  expect(exported.code, exported.stderr).toBe(0);
  const verify = (known: string) =>
    runWritecheck([
      'audit',
      'verify',
      file('log.ndjson'),
      '--keys',
      file('audit.key'),
      '--known',
      file(known),
    ]);
  const verified = await verify('before.txt');
  expect([verified.code, verified.stderr]).toEqual([0, '']);
  expect(verified.stdout).toMatch(/^verified: \d+ entries in 2 logs, /);
  const replayed = await runWritecheck(['audit', 'replay', file('log.ndjson')]);
  expect([replayed.code, replayed.stderr]).toEqual([0, '']);

  // What was answered after the backup is gone, and whoever kept a checkpoint of it sees that.
  expect((await ask(`${url}/v1/decisions/${answered.at(-1)}`, { key: ownerKey })).status).toBe(404);
  expect((await ask(`${url}/v1/decisions/${next}`, { key: ownerKey })).status).toBe(200);
  expect((await verify('after.txt')).code).toBe(1);
  rmSync(restored, { recursive: true, force: true });
}, 120_000);

test('a backup put back beside its newest checkpoint does not go on as if nothing had happened', async () => {
  for (const name of [
    'writecheck.db-wal',
    'writecheck.db-shm',
    'search.db',
    'search.db-wal',
    'search.db-shm',
  ])
    rmSync(join(home, name), { force: true });
  copyFileSync(file('backup.db'), join(home, 'writecheck.db'));
  const refused = serve(home);
  running.push(refused);
  const { code, stderr } = await refused.finished;
  expect(code).not.toBe(0);
  expect(stderr).toContain('writecheck audit restore');
  const continued = await runWritecheck(['audit', 'restore', '--data', home]);
  expect(continued.code, continued.stderr).toBe(0);
  const service = serve(home);
  running.push(service);
  expect(await asks(await service.listening)).toMatch(/^dec_/);
}, 120_000);
