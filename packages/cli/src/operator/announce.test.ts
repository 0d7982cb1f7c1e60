import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { expect, test } from 'vitest';
import { announce } from './announce.ts';

test('a first start whose policy folder is never loaded says how to get keys', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-announce-'));
  writeFileSync(join(folder, 'broken.yaml'), 'kind: Nonsense');
  const store = await openSqliteStore(folder);
  const start = announce(
    'http://127.0.0.1:1',
    store,
    { policies: folder, data: folder, databaseUrl: null },
    0,
  );
  await expect(start).rejects.toThrow('keys create --kind owner');
  const [workspace] = await store.listWorkspaces(1);
  await expect(start).rejects.toThrow(`workspace \`${workspace!.id}\` was created`);
  await store.close();
  rmSync(folder, { recursive: true });
});
