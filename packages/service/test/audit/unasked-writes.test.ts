/** The join of the audit page finds each change of a system of record that no allow covers, and no other. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ALLOWED, check, PAUSED } from '../ask.ts';
import { startTestService } from '../start-service.ts';
import { exportOf, newFolder } from './audit-kit.ts';

const MINUTE_MS = 60_000;
const page = readFileSync(join(import.meta.dirname, '../../../../docs/audit.md'), 'utf8');
const [commands] = [...page.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, text]) =>
  text!.includes('LEFT JOIN') ? [text!] : [],
);
const areInstalled = ['jq', 'sqlite3'].every((name) => spawnSync(name, ['--version']).status === 0);

/** Skipped, and reported so, if Debian's jq or sqlite3 is missing. */
test.skipIf(!areInstalled)('the join lists what was written without an allow', async () => {
  let nowMs = Date.UTC(2026, 9, 1);
  const service = await startTestService({ clock: () => nowMs });
  onTestFinished(() => service.stop());
  const { liveKey, developmentKey } = service;
  const changes: string[] = [];
  const isWritten = (objectRef: string, newValue: string, afterMs: number): void => {
    changes.push(
      [new Date(nowMs + afterMs).toISOString(), 'customer', objectRef, 'email', newValue].join(','),
    );
  };
  const asked = async (intent: object, objectRef: string, key: string): Promise<void> => {
    await check(service, { ...intent, objectRef, agentValue: 'a@b.c' }, { key });
    nowMs += MINUTE_MS;
  };
  await asked(ALLOWED, 'allowed', liveKey);
  isWritten('allowed', 'a@b.c', 0);
  isWritten('nobody-asked', 'a@b.c', 0);
  await asked(ALLOWED, 'other-value', liveKey);
  isWritten('other-value', 'x@y.z', 0);
  await asked(PAUSED, 'paused', liveKey);
  isWritten('paused', 'a@b.c', 0);
  await asked(ALLOWED, 'late', liveKey);
  isWritten('late', 'a@b.c', 10 * MINUTE_MS);
  await asked(ALLOWED, 'development', developmentKey);
  isWritten('development', 'a@b.c', 0);

  const folder = newFolder();
  writeFileSync(join(folder, 'year.ndjson'), `${(await exportOf(service)).join('\n')}\n`);
  writeFileSync(
    join(folder, 'changes.csv'),
    `time,objectType,objectRef,field,newValue\n${changes.join('\n')}\n`,
  );
  const { stdout, stderr } = spawnSync('bash', ['-euc', commands!], { cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  const found = stdout.trim().split('\n');
  expect(found.map((row) => row.split('|')[2])).toEqual([
    'nobody-asked',
    'other-value',
    'paused',
    'development',
    'late',
  ]);
});
