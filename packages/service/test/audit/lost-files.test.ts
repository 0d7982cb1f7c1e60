/** Database files that disappear or are replaced under a running service: no allow is acknowledged from then on. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { databasePath, searchPath } from '@writecheck/store/sqlite/open-database';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { erase } from '../../../store/test/erase.ts';
import { ALLOWED, ask } from '../ask.ts';
import { intentOf, openKit } from '../check-kit.ts';
import { ownerKeyOf, spawnWritecheck, temporaryFolder } from '../spawn-service.ts';

const HOUSEKEEPING_MS = 1_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a service that loses a file', () => {
  test.each(['-wal', '-shm', ''])(
    'writecheck.db%s removed: 503, and kill -9 loses nothing acknowledged',
    async (ending) => {
      const folder = temporaryFolder();
      const serve = () => spawnWritecheck(['serve', '--port', '0', '--data', folder, '--log-level', 'fatal']);
      const first = serve();
      const url = await first.listening;
      const key = /wck_dev_\w+/.exec(first.stdout())![0];
      const owner = ownerKeyOf(first.stdout());
      const acknowledged: string[] = [];
      let refused = 0;
      let isRemoved = false;
      const lane = async () => {
        while (refused < 50) {
          const sentAfter = isRemoved;
          const { status, body } = await ask(`${url}/v1/check-write`, { key, json: ALLOWED });
          if (status !== 200) refused += 1;
          else if (sentAfter) throw new Error('an allow after the removal');
          else acknowledged.push(body.decision_id);
        }
      };
      const lanes = Array.from({ length: 8 }, lane);
      await expect.poll(() => acknowledged.length, { timeout: 30_000, interval: 1 }).toBeGreaterThan(40);
      rmSync(`${databasePath(folder)}${ending}`);
      isRemoved = true;
      await Promise.all(lanes);
      expect((await ask(`${url}/readyz`)).status).toBe(503);
      first.child.kill('SIGKILL');
      await first.finished;
      if (ending === '') return;
      const second = serve();
      const again = await second.listening;
      for (const id of acknowledged)
        expect((await ask(`${again}/v1/decisions/${id}`, { key: owner })).status, id).toBe(200);
      second.child.kill('SIGTERM');
      await second.finished;
    },
    120_000,
  );

  test('another file that replaces the write-ahead log is noticed', async () => {
    const kit = await openKit();
    await kit.ask(intentOf());
    const log = `${databasePath(kit.folder)}-wal`;
    const copy = readFileSync(log);
    rmSync(log);
    writeFileSync(log, copy);
    expect((await kit.ask(intentOf())).status).toBe(503);
    expect(await kit.store.health()).toMatchObject({ kind: 'failing' });
    await kit.close();
  });

  test.each([
    ['emptied', (log: string) => truncateSync(log)],
    ['written over with zeros', (log: string) => writeFileSync(log, Buffer.alloc(statSync(log).size))],
    ['written over with something else', (log: string) => writeFileSync(log, 'no log at all '.repeat(1_000))],
  ])('a write-ahead log that is %s in place is noticed before the next response', async (_, change) => {
    const kit = await openKit();
    await kit.ask(intentOf());
    change(`${databasePath(kit.folder)}-wal`);
    expect((await kit.ask(intentOf())).status).toBe(503);
    expect((await kit.ask(intentOf())).status).toBe(503);
    await kit.close();
  });

  test('a database overwritten in place is noticed, and stays so', {
    tags: 'nightly',
    timeout: 120_000,
  }, async () => {
    const ways: readonly ((path: string, copy: string) => void)[] = [
      // The documented backup, while the service runs.
      (path, copy) => new Database(path).exec(`VACUUM INTO '${copy}'`).close(),
      copyFileSync,
      (_, copy) => new Database(copy).exec('CREATE TABLE another (one)').close(),
      (_, copy) => writeFileSync(copy, 'no database at all'.repeat(1_000)),
      (_, copy) => writeFileSync(copy, ''),
    ];
    for (const [i, backUp] of ways.entries()) {
      const kit = await openKit();
      await kit.ask(intentOf());
      const path = databasePath(kit.folder);
      const copy = join(kit.folder, 'copy');
      backUp(path, copy);
      // Repeats until everything after the copy is in the database itself.
      for (let round = 0; round < 3; round += 1) {
        expect((await kit.ask(intentOf())).status, `way ${i}`).toBe(200);
        await pause(HOUSEKEEPING_MS);
      }
      writeFileSync(path, readFileSync(copy));
      for (let round = 0; round < 3; round += 1) {
        expect((await kit.ask(intentOf())).status, `way ${i}`).toBe(503);
        expect(await kit.store.health()).toMatchObject({ kind: 'failing' });
        await pause(HOUSEKEEPING_MS);
      }
      await kit.close();
    }
  });

  test('a backup of an earlier run is noticed immediately, even if nothing was decided since', async () => {
    const kit = await openKit();
    await kit.ask(intentOf());
    await kit.store.close();
    const path = databasePath(kit.folder);
    const copy = readFileSync(path);
    const store = await openSqliteStore(kit.folder);
    expect(await store.health()).toEqual({ kind: 'ok' });
    writeFileSync(path, copy);
    expect(await store.health()).toMatchObject({ kind: 'failing' });
    await store.close();
  });

  test('checkpoints, other processes and a rewritten file are not mistaken for a replaced database', async () => {
    const kit = await openKit();
    const other = await openSqliteStore(kit.folder);
    for (let round = 0; round < 30; round += 1) {
      const { status, text } = await kit.ask(intentOf({ agentValue: 'x'.repeat(9_000) }));
      expect(status, text).toBe(200);
      expect(await other.health()).toEqual({ kind: 'ok' });
      if (round % 10 === 5) await erase(other, { beforeMs: 1 });
      if (round % 10 === 7) await erase(other, { workspace: kit.workspace, objectRef: 'C-1' });
      await pause(60);
    }
    await other.close();
    const third = await openSqliteStore(kit.folder);
    await third.close();
    expect((await kit.ask(intentOf())).status).toBe(200);
    await kit.close();
  });
});

describe('rights', () => {
  const FILES = [databasePath, searchPath].flatMap((path) =>
    ['', '-wal', '-shm'].map((end) => (folder: string) => path(folder) + end),
  );

  test('in a folder that others may enter, they cannot read any file of the data folder', async () => {
    const folder = join(temporaryFolder(), 'data');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const serve = async () => {
      const spawned = spawnWritecheck(['serve', '--port', '0', '--data', folder, '--log-level', 'fatal']);
      const url = await spawned.listening;
      await expect
        .poll(() => FILES.every((file) => statSync(file(folder), { throwIfNoEntry: false }) !== undefined), {
          timeout: 10_000,
        })
        .toBe(true);
      const open = readdirSync(folder).filter((file) => (statSync(join(folder, file)).mode & 0o077) !== 0);
      return { spawned, url, open };
    };
    const first = await serve();
    expect(first.open).toEqual([]);
    first.spawned.child.kill('SIGKILL');
    await first.spawned.finished;
    // An earlier version left files like this, and a backup may restore them so.
    for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o644);
    const second = await serve();
    expect(second.open).toEqual([]);
    second.spawned.child.kill('SIGTERM');
    await second.spawned.finished;
  });
});
