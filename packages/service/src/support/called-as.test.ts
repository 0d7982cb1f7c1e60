import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { calledAs } from './called-as.ts';

const folder = mkdtempSync(join(tmpdir(), 'writecheck-path-'));
writeFileSync(join(folder, 'writecheck'), '');

test('a printed command is one that the shell of the user finds', () => {
  chmodSync(join(folder, 'writecheck'), 0o755);
  expect(calledAs({ PATH: `/nowhere:${folder}` })).toBe('writecheck');
  expect(calledAs({ PATH: '/nowhere' })).toBe('npx writecheck');
  expect(calledAs({})).toBe('npx writecheck');
});

test('under npm the PATH has more folders than that shell', () => {
  chmodSync(join(folder, 'writecheck'), 0o755);
  expect(calledAs({ PATH: folder, npm_command: 'exec' })).toBe('npx writecheck');
});
