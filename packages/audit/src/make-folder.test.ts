import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

test('a folder is created with its parents, and an existing one is left unchanged', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'writecheck-folder-')), 'a/b');
  makeFolder(folder);
  makeFolder(folder);
  expect(statSync(folder).isDirectory()).toBe(true);
});

test.each(['/proc/writecheck', '/proc/writecheck/witness'])(
  '%s cannot be created, which is reported in one sentence instead of retried forever',
  (folder) => {
    expect(() => makeFolder(folder)).toThrow('the folder `/proc/writecheck` cannot be created (ENOENT)');
  },
);
