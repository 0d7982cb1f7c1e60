import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

const home = mkdtempSync(join(tmpdir(), 'writecheck-folder-'));

test('a folder is created with its parents, and an existing one is left unchanged', () => {
  const folder = join(home, 'a/b/c');
  makeFolder(folder, 0o700);
  makeFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test.each(['/proc/writecheck', '/proc/writecheck/policies', join(home, 'file/below')])(
  '%s cannot be created, which is reported in one sentence instead of retried forever',
  (folder) => {
    writeFileSync(join(home, 'file'), '');
    expect(() => makeFolder(folder)).toThrow(
      /^the folder `[^`]+` cannot be created \([A-Z]+\); choose another folder$/,
    );
  },
);
