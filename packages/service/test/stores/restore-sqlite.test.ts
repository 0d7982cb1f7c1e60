/** A backup of SQLite that was taken under load, restored as the operations page says. */
import { spawn } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newFolder } from '../audit/audit-kit.ts';
import { runWritecheck } from '../spawn-service.ts';
import { type Backup, backedUpUnderLoad, checkOnce, expectRestored, remove, serve } from './restore-kit.ts';

const WITHIN_MS = 120_000;
const home = newFolder();
let backup: Backup;

/** What `sqlite3 writecheck.db "VACUUM INTO 'backup.db'"` does, in a separate process. */
const vacuumInto = (database: string, to: string): Promise<void> => {
  const program = `new (require('better-sqlite3'))(process.argv[1], { readonly: true }).prepare('VACUUM INTO ?').run(process.argv[2])`;
  const child = spawn(process.execPath, ['-e', program, database, to], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => {
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`it ended with ${code}`))));
  });
};

beforeAll(async () => {
  backup = await backedUpUnderLoad(['--data', home], async (desk) => {
    await vacuumInto(join(home, 'writecheck.db'), join(desk, 'backup.db'));
    copyFileSync(join(home, 'signing-key.pem'), join(desk, 'signing-key.pem'));
  });
}, WITHIN_MS);
afterAll(() => remove(home, backup.desk));

const copyTo = (folder: string, ...names: readonly string[]): void => {
  for (const name of names)
    copyFileSync(join(backup.desk, name), join(folder, name.replace('backup', 'writecheck')));
};

test(
  'a backup taken while checks run is restored in a new folder: no decision returned before it is lost, and the log verifies',
  async () => {
    const folder = newFolder();
    copyTo(folder, 'backup.db', 'signing-key.pem');
    await expectRestored(['--data', folder], backup);
    remove(folder);
  },
  WITHIN_MS,
);

test(
  'a backup restored beside its newest checkpoint does not continue as if nothing had happened',
  async () => {
    remove(...['writecheck.db-wal', 'writecheck.db-shm', 'search.db'].map((name) => join(home, name)));
    copyTo(home, 'backup.db');
    const refused = await serve(['--data', home]).finished;
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('writecheck audit restore');
    const continued = await runWritecheck(['audit', 'restore', '--no-freeze', '--data', home]);
    expect(continued.code, continued.stderr).toBe(0);
    const service = serve(['--data', home]);
    expect(await checkOnce(await service.listening, backup.liveKey)).toMatch(/^dec_/);
    service.child.kill('SIGKILL');
    await service.finished;
  },
  WITHIN_MS,
);
