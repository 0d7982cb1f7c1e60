/** A dump of PostgreSQL that was taken under load, restored as the operations page says. */
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type DebianServer, debianPrograms, newDebianServer } from '../../../store/test/debian-postgres.ts';
import { onServer } from '../../../store/test/test-postgres.ts';
import { newFolder } from '../audit/audit-kit.ts';
import { backedUpUnderLoad, expectRestored, remove } from './restore-kit.ts';

const WITHIN_MS = 120_000;

/** Runs a program without delaying callers meanwhile. */
const run = (name: string, ...args: readonly string[]) =>
  promisify(execFile)(join(debianPrograms()!, name), args);

// The PostgreSQL of npm has no pg_dump.
describe.skipIf(debianPrograms() === null)('pg_dump', () => {
  const parent = newFolder();
  const home = newFolder();
  let server: DebianServer;
  beforeAll(async () => {
    chmodSync(parent, 0o755);
    server = await newDebianServer(parent);
  }, WITHIN_MS);
  afterAll(async () => {
    await server.kill();
    remove(parent, home);
  });

  test(
    'a dump taken while checks run is restored in a new database: no decision returned before it is lost, and the log verifies',
    async () => {
      const backup = await backedUpUnderLoad(['--data', home, '--database-url', server.url], async (desk) => {
        const file = `--file=${join(desk, 'writecheck.dump')}`;
        await run('pg_dump', '--format=custom', '--schema=writecheck', file, server.url);
        copyFileSync(join(home, 'signing-key.pem'), join(desk, 'signing-key.pem'));
      });
      await onServer(server.url, (client) =>
        client.query("CREATE DATABASE restored TEMPLATE template0 ENCODING 'UTF8'"),
      );
      const url = server.url.replace(/postgres$/, 'restored');
      const dump = join(backup.desk, 'writecheck.dump');
      await run('pg_restore', `--dbname=${url}`, '--no-owner', '--exit-on-error', dump);
      const folder = newFolder();
      const key = ['--signing-key', join(backup.desk, 'signing-key.pem')];
      await expectRestored(['--data', folder, '--database-url', url, ...key], backup);
      remove(folder, backup.desk);
    },
    WITHIN_MS,
  );
});
