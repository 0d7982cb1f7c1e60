/** The audit on the command line, as an auditor and an operator use it a year later. */
import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALLOWED, ask, check, receiptOf } from '../ask.ts';
import { callWritecheck } from '../call-writecheck.ts';
import { startTestService } from '../start-service.ts';
import { type AuditedService, auditedService, copyOf, exportOf, newFolder, verdictOf } from './audit-kit.ts';

let audited: AuditedService;
let desk: string;
const file = (name: string) => join(desk, name);
const audit = (...args: readonly string[]) =>
  callWritecheck(['audit', ...args], {
    WRITECHECK_URL: audited.service.url,
    WRITECHECK_OWNER_KEY: audited.service.ownerKey,
  });

beforeAll(async () => {
  desk = newFolder();
  audited = await auditedService(3);
  writeFileSync(file('audit.key'), audited.keys);
  writeFileSync(file('older.txt'), (await ask(`${audited.service.url}/v1/audit/checkpoint`)).text);
  const { code, stderr } = await audit('export', '--out', file('log.ndjson'));
  expect(code, stderr).toBe(0);
});
afterAll(async () => {
  await audited.service.stop();
  rmSync(desk, { recursive: true });
});

test('an export is fetched, verified and decided again', async () => {
  const verified = await audit(
    'verify',
    file('log.ndjson'),
    '--keys',
    file('audit.key'),
    '--known',
    file('older.txt'),
  );
  expect([verified.code, verified.stderr]).toEqual([0, '']);
  expect(verified.stdout).toContain('verified: 16 entries in 1 log, each in its place and unchanged');
  const replayed = await audit('replay', file('log.ndjson'));
  expect([replayed.code, replayed.stdout]).toEqual([
    0,
    'decided again: 6 records, all identical to the byte\n',
  ]);
});

test('a change is reported in words and by the exit code', async () => {
  const lines = readFileSync(file('log.ndjson'), 'utf8').split('\n');
  writeFileSync(file('deleted.ndjson'), lines.toSpliced(5, 1).join('\n'));
  const deleted = await audit('verify', file('deleted.ndjson'), '--keys', file('audit.key'));
  expect(deleted.code).toBe(1);
  expect(deleted.stderr).toMatch(/^not verified: line 6, .*entries are missing, doubled or swapped/);
  const at = lines.findIndex((line) => line.includes('"record"'));
  const line = JSON.parse(lines[at]!);
  const record = Buffer.from(line.record, 'base64')
    .toString()
    .replace('"decision":"allow"', '"decision":"block"');
  line.record = Buffer.from(record).toString('base64');
  writeFileSync(file('edited.ndjson'), lines.with(at, JSON.stringify(line)).join('\n'));
  const replayed = await audit('replay', file('edited.ndjson'));
  expect(replayed.code).toBe(1);
  expect(replayed.stdout).toMatch(/^entry 2 of log .* byte \d+ differs: recorded `.*block/);
  expect(replayed.stderr).toContain('1 of 6 records are now decided differently');
  line.record = Buffer.from(
    record
      .replace(/"engine":"\d+"/, '"engine":"1"')
      .replace('"decision":"block"', '"decision":"allow"')
      .replace('"reason":"', '"reason":"Formerly: '),
  ).toString('base64');
  writeFileSync(file('older.ndjson'), lines.with(at, JSON.stringify(line)).join('\n'));
  const older = await audit('replay', file('older.ndjson'));
  expect([older.code, older.stdout]).toEqual([2, '']);
  expect(older.stderr).toContain('1 of 6 records was recorded by engine 1, which this version cannot repeat');
  const absent = await audit('verify', file('no.ndjson'), '--keys', file('audit.key'));
  expect([absent.code, absent.stderr]).toEqual([2, `\`${file('no.ndjson')}\` cannot be read\n`]);
});

test('an interrupted export is continued', async () => {
  const whole = readFileSync(file('log.ndjson'), 'utf8');
  copyFileSync(file('log.ndjson'), file('cut.ndjson'));
  truncateSync(file('cut.ndjson'), Math.floor(whole.length * 0.6));
  await check(audited.service, ALLOWED, { key: audited.service.liveKey });
  const refused = await audit('export', '--out', file('cut.ndjson'));
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--resume')]);
  expect((await audit('export', '--out', file('cut.ndjson'), '--resume')).code).toBe(0);
  expect(readFileSync(file('cut.ndjson'), 'utf8')).toBe(whole);
  expect((await audit('export', '--out', file('cut.ndjson'), '--resume')).stderr).toContain(
    'already complete',
  );
});

test('an export that cannot be continued does not claim to be, and a compressed file under any name stays unchanged', async () => {
  const packed = file('packed.ndjson');
  expect((await audit('export', '--compress', 'zstd', '--out', packed)).code).toBe(0);
  const bytes = readFileSync(packed);
  const again = await audit('export', '--out', packed);
  expect([again.code, again.stderr]).toEqual([1, `\`${packed}\` already exists; name another file\n`]);
  const resumed = await audit('export', '--out', packed, '--resume');
  expect([resumed.code, resumed.stderr]).toEqual([
    1,
    expect.stringContaining('a compressed export cannot be continued'),
  ]);
  expect(readFileSync(packed)).toEqual(bytes);
});

test('a receipt and two checkpoints are verified offline', async () => {
  const { service } = audited;
  const { url, liveKey: key } = service;
  const receipt = await receiptOf(url, key, await check(service, ALLOWED, { key }));
  writeFileSync(file('receipt.json'), JSON.stringify(receipt));
  writeFileSync(file('intent.json'), JSON.stringify(ALLOWED));
  writeFileSync(file('other.json'), JSON.stringify({ ...ALLOWED, agentValue: 'eve' }));
  const about = (intent: string) =>
    audit('verify', file('receipt.json'), '--keys', audited.keys.trim(), '--intent', file(intent));
  expect((await about('intent.json')).stdout).toContain('verified: allow (requirements_met)');
  expect(await about('other.json')).toMatchObject({
    code: 1,
    stderr: 'not verified: the decision is about another write\n',
  });
  // Two readers might read different writes in it, so the verifier says nothing about it.
  writeFileSync(file('twice.json'), JSON.stringify(ALLOWED).replace('{', '{"agentValue":"eve",'));
  const twice = await about('twice.json');
  expect(twice.code).not.toBe(0);
  expect(twice.stderr).toContain('agentValue');
  const newer = (await ask(`${service.url}/v1/audit/checkpoint`)).text;
  writeFileSync(file('newer.txt'), newer);
  const query = `from=16&to=${newer.split('\n')[1]}`;
  writeFileSync(file('proof.json'), (await ask(`${service.url}/v1/audit/consistency?${query}`)).text);
  const extension = (older: string, later: string) =>
    audit('verify', file(older), file(later), '--proof', file('proof.json'), '--keys', file('audit.key'));
  expect((await extension('older.txt', 'newer.txt')).stdout).toContain('begin with the 16 earlier ones');
  expect(await extension('newer.txt', 'older.txt')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('shrank'),
  });
});

test('the next night notices a log that was put back, forked or lost with its whole folder', async () => {
  const folder = newFolder();
  const { service: first, keys } = await auditedService(2, { folder });
  const { liveKey, ownerKey } = first;
  await first.stop();
  const backup = copyOf(folder);
  let nights = 0;
  const night = async (url: string, key = ownerKey, ...trust: readonly string[]) => {
    nights += 1;
    const out = file(`night-${nights}.ndjson`);
    const run = (...args: readonly string[]) =>
      callWritecheck(['audit', ...args, ...trust], { WRITECHECK_URL: url, WRITECHECK_OWNER_KEY: key });
    const exported = await run('export', '--out', out);
    if (exported.code !== 0) return exported;
    return run('verify', out, '--keys', keys.trim(), '--keep', file('kept'));
  };
  const service = await startTestService({ folder });
  expect(await night(service.url)).toMatchObject({ code: 0 });
  await check(service, ALLOWED, { key: liveKey });
  const kept = ['--since', file('kept')];
  expect(await night(service.url, ownerKey, ...kept)).toMatchObject({ code: 0 });
  await service.stop();

  // The whole folder is restored, so nothing in it reveals the loss: only who kept the checkpoint knows.
  const trusted = readFileSync(file('kept'), 'utf8');
  const rolledBack = await startTestService({ folder: backup });
  expect(await night(rolledBack.url, ownerKey, ...kept)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'rolled back: a checkpoint of 12 entries is known, the export ends at 11',
    ),
  });
  for (const _ of ['as long as the other', 'longer']) await check(rolledBack, ALLOWED, { key: liveKey });
  expect(await night(rolledBack.url, ownerKey, ...kept)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the first 12 entries are not those that were signed'),
  });
  await rolledBack.stop();
  const other = await startTestService();
  expect(await night(other.url, other.ownerKey, ...kept)).toMatchObject({ code: 1 });
  await other.stop();
  // What was not verified is not trusted the night after.
  expect(readFileSync(file('kept'), 'utf8')).toBe(trusted);
  for (const each of [folder, backup]) rmSync(each, { recursive: true });
});

test('on the store itself: a receipt is proven, an object forgotten, a backup continued, and all of it verifies', async () => {
  const folder = newFolder();
  const { service, keys, decisionIds } = await auditedService(2, { folder });
  const { liveKey, ownerKey, workspace } = service;
  const id = decisionIds[0]!;
  const receipt = (await ask(`${service.url}/v1/decisions/${id}/receipt`, { key: ownerKey })).body;
  await service.stop();
  const backup = copyOf(folder);
  const onStore = (...args: readonly string[]) => callWritecheck(['audit', ...args, '--data', folder]);

  const proven = await onStore('prove', id, '--workspace', workspace);
  expect(JSON.parse(proven.stdout)).toEqual(receipt);
  const unsure = await onStore('prune', '--object-ref', 'C-1', '--workspace', workspace);
  expect([unsure.code, unsure.stderr]).toEqual([
    1,
    'this would empty 5 entries, which cannot be undone; nothing was changed, add --yes and --reason to do it\n',
  ]);
  // The command lists what would be erased.
  expect(unsure.stdout).toContain(id);
  expect(unsure.stdout.trim().split('\n')).toHaveLength(3);
  const unreasoned = await onStore('prune', '--text', 'no', '--workspace', workspace, '--yes');
  expect([unreasoned.code, unreasoned.stdout]).toEqual([1, '']);
  expect(unreasoned.stderr).toContain('--text must have at least 3 characters');
  expect(unreasoned.stderr).toContain('--reason must be a string of 1 to 500 characters');
  const why = ['--reason', 'request 4711', '--yes'];
  const nothing = await onStore('prune', '--object-ref', 'C-typo', '--workspace', workspace, ...why);
  expect([nothing.code, nothing.stdout, nothing.stderr]).toEqual([
    1,
    '',
    'no decision matches; nothing was erased\n',
  ]);
  const pruned = await onStore('prune', '--object-ref', 'C-1', '--workspace', workspace, ...why);
  // Two allows about C-1 with their redemptions, and one pause.
  expect(pruned.stdout, pruned.stderr).toMatch(
    /^pruned 5 entries as era_[0-9a-f]{32}; their hashes stay in the log/,
  );
  const bytesOf = (name: string) => readFileSync(join(folder, name)).toString('latin1');
  expect(bytesOf('writecheck.db')).not.toContain('"objectRef":"C-1"');
  expect(bytesOf('writecheck.db')).toContain('"objectRef":"C-0"');
  expect(bytesOf('search.db')).not.toContain(id);

  const after = await startTestService({ folder });
  const verdict = await verdictOf(await exportOf(after, {}, ownerKey), { keys, workspace });
  expect(verdict).toMatchObject({ ok: true, counts: { decisions: 1, redemptions: 0, hashes: 7 } });
  expect((await ask(`${after.url}/v1/decisions/${id}/receipt`, { key: ownerKey })).status).toBe(410);
  await check(after, ALLOWED, { key: liveKey });
  await after.stop();

  // The database of the backup, with the file beside it that covers more entries.
  copyFileSync(join(backup, 'writecheck.db'), join(folder, 'writecheck.db'));
  await expect(startTestService({ folder })).rejects.toThrow('entry 11 is missing');
  const restored = await onStore('restore', '--no-freeze');
  expect(restored.stdout, restored.stderr).toContain('from its checkpoint of 11 entries');
  const again = await startTestService({ folder });
  const { body } = await check(again, ALLOWED, { key: liveKey });
  const logs = (await ask(`${again.url}/v1/audit/logs`)).body.logs;
  expect(logs.map((one: { size: number; isOpen: boolean }) => [one.size, one.isOpen])).toEqual([
    [11, false],
    [2, true],
  ]);
  const lines = await exportOf(again, {}, ownerKey);
  const continued = await verdictOf(lines, { keys, workspace });
  expect(continued).toMatchObject({ ok: true, counts: { continuations: 1, decisions: 5, redemptions: 2 } });
  const listed = await ask(`${again.url}/v1/decisions`, { key: ownerKey });
  expect(listed.body.decisions[0].decision_id).toBe(body.decision_id);
  await again.stop();
  for (const each of [folder, backup]) rmSync(each, { recursive: true });
});

test('freezes and outcomes, which have records of their own, do not keep decisions from being decided again', async () => {
  const { service } = audited;
  const post = (path: string, json: object) => ask(`${service.url}${path}`, { key: service.ownerKey, json });
  const { body: allow } = await check(service, ALLOWED, { key: service.liveKey });
  expect((await post(`/v1/decisions/${allow.decision_id}/outcome`, { result: 'done' })).status).toBe(200);
  const { body } = await post('/v1/freezes', { reason: 'stop' });
  expect((await post(`/v1/freezes/${body.freeze.id}/lift`, { reason: 'go on' })).status).toBe(200);
  expect((await audit('export', '--out', file('with-freeze.ndjson'))).code).toBe(0);
  const replayed = await audit('replay', file('with-freeze.ndjson'));
  expect([replayed.code, replayed.stderr]).toEqual([0, '']);
  expect(replayed.stdout).toMatch(/^decided again: \d+ records, all identical to the byte\n$/);
});
