import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDatabase } from './open-database.ts';

test('the data folder is created with its parents, only for its user', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'writecheck-database-')), 'a/b');
  createDatabase(folder).close();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test.each(['/proc/writecheck', '/proc/writecheck/data'])(
  '%s cannot be created, which is refused instead of retried forever',
  (folder) => {
    expect(() => createDatabase(folder)).toThrow('the data folder is read-only');
  },
);
