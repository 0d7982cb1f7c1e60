import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dropDrafts, KEPT_CHECKPOINT, keepCheckpointBeside, readKeptCheckpoint } from './kept-checkpoint.ts';
import { LogRefused } from './log-refused.ts';

test('the draft of a killed process is removed, and that of a running one stays', () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-kept-'));
  const ended = spawnSync('true').pid;
  const kept = ['newest-checkpoint', `newest-checkpoint.${process.pid}-1`, 'newest-checkpoint.txt'];
  for (const name of [...kept, `newest-checkpoint.${ended}`, `newest-checkpoint.${ended}-2`])
    writeFileSync(join(folder, name), '');
  dropDrafts(folder);
  expect(readdirSync(folder).sort()).toEqual(kept.sort());
  dropDrafts(join(folder, 'nowhere'));
});

test('two concurrent writes of one process both succeed, and leave no draft', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-kept-'));
  const notes = ['one\n', 'two\n', 'three\n'];
  await Promise.all(
    notes.map((note) => keepCheckpointBeside(folder, { note, continuations: [], clock: null })),
  );
  expect(readdirSync(folder)).toEqual([KEPT_CHECKPOINT]);
});

test('one that is there but cannot be read is refused, never taken for none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-kept-'));
  expect(readKeptCheckpoint(folder)).toBeNull();
  expect(readKeptCheckpoint(join(folder, 'nowhere'))).toBeNull();
  mkdirSync(join(folder, KEPT_CHECKPOINT));
  expect(() => readKeptCheckpoint(folder)).toThrow(LogRefused);
  expect(() => readKeptCheckpoint(folder)).toThrow(/newest-checkpoint` cannot be read \(EISDIR\)/);
});
