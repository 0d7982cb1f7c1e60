import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dropDrafts } from './kept-checkpoint.ts';

test('what a killed process was writing is removed, and what a running one writes stays', () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-kept-'));
  const ended = spawnSync('true').pid;
  const kept = ['newest-checkpoint', `newest-checkpoint.${process.pid}`, 'newest-checkpoint.txt'];
  for (const name of [...kept, `newest-checkpoint.${ended}`]) writeFileSync(join(folder, name), '');
  dropDrafts(folder);
  expect(readdirSync(folder).sort()).toEqual(kept.sort());
  dropDrafts(join(folder, 'nowhere'));
});
