/** The commands of the audit page that read an export print what the page says. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ALLOWED, ask, check, PAUSED } from '../ask.ts';
import { openReviewKit, pack, REVIEWED } from '../reviews/reviews-kit.ts';
import { startTestService } from '../start-service.ts';
import { exportOf, newFolder } from './audit-kit.ts';

const MINUTE_MS = 60_000;
const page = readFileSync(join(import.meta.dirname, '../../../../docs/audit.md'), 'utf8');

/** The commands of the block that mentions this, run on the files in this folder. */
function printed(mentioned: string, folder: string): readonly string[] {
  const block = [...page.matchAll(/```sh\n(.*?)```/gs)].find(([, text]) => text!.includes(mentioned))!;
  const { stdout, stderr } = spawnSync('bash', ['-euc', block[1]!], { cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

const areInstalled = ['jq', 'sqlite3'].every((name) => spawnSync(name, ['--version']).status === 0);

/** Skipped, and reported so, if Debian's jq or sqlite3 is missing. */
test.skipIf(!areInstalled)(
  'an export says who changed what, who approved it, and which decision used that',
  async () => {
    const kit = await openReviewKit();
    onTestFinished(() => kit.service.stop());
    await kit.applyPolicy([pack({ approval: REVIEWED })]);
    const { intent, evidence, review } = await kit.approved();
    const { body } = await kit.again(intent, evidence, { key: kit.service.developmentKey });
    expect(body.decision).toBe('allow');
    const freeze = await ask(`${kit.service.url}/v1/freezes`, {
      key: kit.service.ownerKey,
      json: { reason: 'stop' },
    });
    expect(freeze.status).toBe(201);
    const folder = newFolder();
    writeFileSync(join(folder, 'year.ndjson'), `${(await exportOf(kit.service)).join('\n')}\n`);
    const lines = printed('records.erased', folder);
    const entries = lines.slice(0, -1).map((line) => JSON.parse(line));
    const kinds = entries.map(({ kind }) => kind);
    for (const kind of ['policy.applied', 'freeze.created']) expect(kinds).toContain(kind);
    const verdicts = entries.filter(({ kind }) => kind === 'review');
    expect(verdicts).toMatchObject([{ event: 'verdict', review: review.id, by: { kind: 'owner_key' } }]);
    expect(lines.at(-1)).toBe(body.decision_id);
  },
);

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
  const found = printed('LEFT JOIN', folder);
  expect(found.map((row) => row.split('|')[2])).toEqual([
    'nobody-asked',
    'other-value',
    'paused',
    'development',
    'late',
  ]);
});
