import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeStore } from '../store-contract.ts';
import { openSqliteStore } from './sqlite-store.ts';

describeStore('the SQLite store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'writecheck-store-'));
  return {
    open: () => openSqliteStore(folder),
    remove: () => rm(folder, { recursive: true }),
  };
});
