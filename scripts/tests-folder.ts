/** Gives each test run a temporary folder, a PostgreSQL for all of its files, a bundle of `writecheck` and a cache of compiled code. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { superuserUrl } from '../packages/service/test/postgres-process.ts';
import { quickFolder, startTestServer } from '../packages/store/test/test-postgres.ts';
import { buildForTests } from './build-for-tests.ts';
import { freePort } from './free-port.ts';

const CONNECTIONS_MAX = 500;

export default async function setup(): Promise<() => Promise<void>> {
  // Each project of vitest calls this; the first one sets up for all.
  if (process.env.WRITECHECK_TEST_PROGRAM !== undefined) return async () => undefined;
  const folder = newFolder();
  // If root starts PostgreSQL, it runs as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  // Hundreds of tests start the service; with this, each start takes a third less processor time.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
    new URL('../node_modules/.cache/writecheck-tests', import.meta.url),
  );
  const program = join(folder, 'program');
  mkdirSync(program);
  const [removeServer, bundle] = await Promise.all([beginServer(), buildForTests(program)]);
  process.env.WRITECHECK_TEST_PROGRAM = bundle;
  return async () => {
    await removeServer();
    // A process that a test left running may still hold it; the run is over anyway.
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      console.warn(`${folder} is left: ${String(error)}`);
    }
  };
}

/**
 * The folder is in memory if there is room and programs may run there, because a browser is unpacked into it. Then no
 * test waits for a disk.
 */
function newFolder(): string {
  const folder = mkdtempSync(join(quickFolder(), 'writecheck-tests-'));
  const program = join(folder, 'may-run');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  if (spawnSync(program).status === 0) return folder;
  rmSync(folder, { recursive: true, force: true });
  return mkdtempSync(join(tmpdir(), 'writecheck-tests-'));
}

/** Returns its address immediately and starts it meanwhile: files that need it wait for it, all others do not. */
async function beginServer(): Promise<() => Promise<void>> {
  const given = process.env.WRITECHECK_TEST_DATABASE_URL ?? '';
  if (given !== '') return async () => undefined;
  const port = await freePort();
  const flags = ['-c', `max_connections=${CONNECTIONS_MAX}`];
  const starting = startTestServer({ isOwn: true, parent: quickFolder(), port, flags });
  // A machine where it cannot start fails the tests that need it, each with the reason.
  starting.catch((error: unknown) => console.error('PostgreSQL does not start:', error));
  process.env.WRITECHECK_TEST_DATABASE_URL = superuserUrl(port);
  return async () => {
    await (await starting.catch(() => null))?.remove();
  };
}
