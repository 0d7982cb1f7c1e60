/** Operator mistakes in an emergency: what a command must not do even if requested. */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keyCommand } from '../../../cli/src/operator/audit-store.ts';
import { restoreCommand } from '../../../cli/src/operator/continue-store.ts';
import { freezeCommand, liftCommand, listFreezesCommand } from '../../../cli/src/operator/freeze-commands.ts';
import { revokeKeyCommand } from '../../../cli/src/operator/key-commands.ts';
import { loadSigner } from '../../src/features/audit/log-signer.ts';
import { ALLOWED, check } from '../ask.ts';
import { newFolder } from '../audit/audit-kit.ts';
import { runWritecheck } from '../spawn-service.ts';
import { startTestService, type TestService } from '../start-service.ts';

let folder: string;
let printed: string[];
beforeEach(() => {
  folder = newFolder();
  printed = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** A folder with a recorded decision, whose service is stopped. */
async function used(): Promise<TestService> {
  const service = await startTestService({ folder });
  expect((await check(service, ALLOWED)).status).toBe(200);
  await service.stop();
  return service;
}

test('if the database is gone but its checkpoint exists, nothing is created and the checkpoint stays', async () => {
  await used();
  const kept = readFileSync(join(folder, 'newest-checkpoint'), 'utf8');
  for (const file of ['writecheck.db', 'writecheck.db-wal', 'writecheck.db-shm'])
    rmSync(join(folder, file), { force: true });
  const { code, stderr } = await runWritecheck(['serve', '--port', '0', '--data', folder]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('keeps the checkpoint of one; restore the database'),
  ]);
  expect(existsSync(join(folder, 'writecheck.db'))).toBe(false);
  await expect(restoreCommand({ data: folder })).rejects.toThrow('there is no store in');

  await (await openSqliteStore(folder)).close();
  await expect(restoreCommand({ data: folder })).rejects.toThrow(
    /the database is empty, but a checkpoint of another log is kept.*restore the backup into the database first/,
  );
  expect(readFileSync(join(folder, 'newest-checkpoint'), 'utf8')).toBe(kept);
});

test('a restore names its freezes, which can be listed and lifted together, and no others', async () => {
  const { workspace } = await used();
  await restoreCommand({ data: folder });
  const [, id] = /(frz_\w+) stops/.exec(printed.join(''))!;
  await freezeCommand({ data: folder, reason: 'the bot\u001b[2J', system: ['crm'] });
  printed = [];
  await listFreezesCommand({ data: folder });
  expect(printed).toHaveLength(2);
  expect(printed.join('')).toContain(`${id}  ${workspace}  since`);
  expect(printed.join('')).toContain('everything: restored from a backup');
  expect(printed.join('')).toContain('{"system":["crm"]}: the bot');
  expect(printed.join('')).not.toContain('\u001b');

  for (const [options, named] of [
    [{}, undefined],
    [{ restored: true }, id],
  ] as const)
    await expect(liftCommand({ data: folder, reason: 'x', ...options }, named)).rejects.toThrow(
      'name the freeze to lift, or give --restored, not both',
    );
  printed = [];
  await liftCommand({ data: folder, reason: 'looked', restored: true }, undefined);
  expect(printed).toEqual([`${id} is lifted\n`]);
  printed = [];
  await listFreezesCommand({ data: folder });
  expect(printed).toEqual([expect.stringContaining('{"system":["crm"]}')]);
});

test('a restore stops every write before anything that can fail, and can be repeated', async () => {
  const { workspace, liveKey } = await used();
  // The checkpoint cannot be replaced.
  const kept = join(folder, 'newest-checkpoint');
  rmSync(kept);
  mkdirSync(kept);
  const said = /EISDIR.*\nthe restore is not finished: run it again before any replica starts$/s;
  await expect(restoreCommand({ data: folder })).rejects.toThrow(said);
  expect(printed.join('')).toContain(`stops ${workspace}`);
  expect(printed.join('')).not.toContain('start all replicas');
  rmSync(kept, { recursive: true });
  printed = [];
  await restoreCommand({ data: folder });
  expect(printed.at(-1)).toBe('start all replicas now; their data folders stay as they are\n');
  const service = await startTestService({ folder });
  expect((await check(service, ALLOWED, { key: liveKey })).body.reason_code).toBe('frozen');
  await service.stop();
});

test('a freeze from the command line ends in the future, within 31 days, as over HTTP', async () => {
  await used();
  const freezeFor = (days: number) => {
    const until = new Date(Date.now() + days * 86_400_000).toISOString();
    return freezeCommand({ data: folder, reason: 'x', until });
  };
  for (const days of [-1, 32])
    await expect(freezeFor(days)).rejects.toThrow('--until must be in the future, by at most 31 days');
  printed = [];
  await listFreezesCommand({ data: folder });
  expect(printed).toEqual(['no freeze is active\n']);
  await freezeFor(30);
  expect(printed).toHaveLength(2);
});

test('all keys are revoked only if some are kept by name, or with --yes', async () => {
  const { ownerKey, developmentKey, liveKey } = await used();
  await expect(revokeKeyCommand({ data: folder, all: true }, undefined)).rejects.toThrow(
    'nothing was revoked',
  );
  expect(printed).toHaveLength([ownerKey, developmentKey, liveKey].length);
  const service = await startTestService({ folder });
  expect((await check(service, ALLOWED, { key: liveKey })).status).toBe(200);
  await service.stop();
  await expect(revokeKeyCommand({ data: folder, all: true, yes: true }, undefined)).rejects.toThrow(
    'still works: this is the last owner key',
  );
});

test('the verifier key of a signing key is known before it signs anything', async () => {
  await used();
  keyCommand(join(folder, 'signing-key.pem'));
  expect(printed).toEqual([`${loadSigner({ data: folder, signingKey: null }, false).line}\n`]);
  expect(() => keyCommand(join(folder, 'no.pem'))).toThrow(/^`.*no\.pem` cannot be read/);
});

test('a start with an unusable signing key creates no store', async () => {
  const key = join(folder, 'empty.pem');
  writeFileSync(key, '');
  const data = join(folder, 'new');
  const { code, stderr } = await runWritecheck([
    'serve',
    '--port',
    '0',
    '--data',
    data,
    '--signing-key',
    key,
  ]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('contains no private key')]);
  expect(existsSync(join(data, 'writecheck.db'))).toBe(false);
});

test('a start with a different key than before says so', async () => {
  await used();
  const again = await startTestService({ folder });
  await again.stop();
  expect(again.logged()).not.toContain('signed with other keys');
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(folder, 'signing-key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const rotated = await startTestService({ folder });
  await rotated.stop();
  expect(rotated.logged()).toContain('the log was signed with other keys before');
});
