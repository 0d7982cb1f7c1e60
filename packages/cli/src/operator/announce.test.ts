import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasConsole } from '@writecheck/service/edge/console-files';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { afterEach, expect, test, vi } from 'vitest';
import { announce, shownOwnerKey } from './announce.ts';

const KEY = 'wck_own_0123';
const newFolder = () => mkdtempSync(join(tmpdir(), "writecheck-announce's-"));
afterEach(() => {
  vi.unstubAllGlobals();
});

function onTerminal(isTTY: boolean): void {
  vi.stubGlobal('process', { ...process, stdout: { isTTY } });
}

test('a first start whose policy folder is never loaded says how to get keys', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'broken.yaml'), 'kind: Nonsense');
  const store = await openSqliteStore(folder);
  const start = announce('http://127.0.0.1:1', store, { policies: folder, data: folder }, 0);
  await expect(start).rejects.toThrow('keys create --kind owner');
  const [workspace] = await store.listWorkspaces(1);
  await expect(start).rejects.toThrow(`workspace \`${workspace!.id}\` was created`);
  await store.close();
  rmSync(folder, { recursive: true });
});

test('on a terminal the owner key is shown, and no file holds it', () => {
  onTerminal(true);
  const folder = newFolder();
  expect(shownOwnerKey(KEY, folder)).toBe(KEY);
  expect(() => statSync(join(folder, 'owner-key'))).toThrow('ENOENT');
});

test('without a terminal, a file of mode 0600 holds it, whatever was there before', () => {
  onTerminal(false);
  const folder = newFolder();
  const file = join(folder, 'owner-key');
  const elsewhere = join(newFolder(), 'public');
  writeFileSync(elsewhere, '', { mode: 0o644 });
  symlinkSync(elsewhere, file);
  for (let round = 0; round < 2; round += 1) {
    expect(shownOwnerKey(KEY, folder)).toBe(`written to ${file}`);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([`${KEY}\n`, 0o600]);
  }
  expect(readFileSync(elsewhere, 'utf8')).toBe('');
});

test('if the file cannot be written, the key is not shown, and the text says how to create another', () => {
  onTerminal(false);
  const shown = shownOwnerKey(KEY, '/nowhere/at/all');
  expect(shown).not.toContain(KEY);
  expect(shown).toMatch(
    /`\/nowhere\/at\/all\/owner-key` cannot be written \(ENOENT\).*keys create --kind owner/,
  );
});

test('a console without its page counts as missing', async () => {
  const folder = newFolder();
  expect(await hasConsole(folder)).toBe(false);
  writeFileSync(join(folder, 'index.html'), '');
  expect(await hasConsole(folder)).toBe(true);
});
