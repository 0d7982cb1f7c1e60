import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

const home = mkdtempSync(join(tmpdir(), 'writecheck-folder-'));

test('a folder is made with those above it, and one that is there is left as it is', () => {
  const folder = join(home, 'a/b/c');
  makeFolder(folder, 0o700);
  makeFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test.each(['/proc/writecheck', '/proc/writecheck/policies', join(home, 'file/below')])(
  '%s cannot be made, which is said in one sentence instead of tried for ever',
  (folder) => {
    writeFileSync(join(home, 'file'), '');
    expect(() => makeFolder(folder)).toThrow(
      /^the folder `[^`]+` cannot be created \([A-Z]+\); choose another folder$/,
    );
  },
);
