/** `writecheck reconcile` against a simulated system of record with known bypasses, and its exit codes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callWritecheck } from '../call-writecheck.ts';
import { exportOf, newFolder } from './audit-kit.ts';
import { type Company, changesCsv, simulateCompany } from './simulated-company.ts';

let company: Company;
const desk = newFolder();
const file = (name: string) => join(desk, name);
const reconcile = (...args: readonly string[]) => callWritecheck(['reconcile', ...args]);
const exported = ['--export', file('log.ndjson'), '--system', 'erp'] as const;

beforeAll(async () => {
  company = await simulateCompany();
  writeFileSync(file('changes.csv'), changesCsv(company.changes));
  writeFileSync(file('log.ndjson'), `${(await exportOf(company.service)).join('\n')}\n`);
}, 120_000);
afterAll(() => company.stop());

function countsOf(classes: readonly string[]): { readonly [name: string]: number } {
  return Object.fromEntries(classes.map((one) => [one, classes.filter((each) => each === one).length]));
}

test('every bypass is found, and only those', async () => {
  const { code, stdout, stderr } = await reconcile(file('changes.csv'), ...exported, '--json');
  expect([code, stderr]).toEqual([5, '']);
  const report = JSON.parse(stdout);
  const { changes } = company;
  const known = changes.map(({ class: found }, i) => [i + 2, found] as const);
  const findings = known.filter(([, found]) => /late|after_|other_|nobody_/.test(found));
  expect(findings.length).toBe(7);
  const reported = report.findings.map((one: { line: number; class: string }) => [one.line, one.class]);
  expect(reported).toEqual(findings);
  expect(report).toMatchObject({
    version: 'writecheck.reconcile.v1',
    classes: countsOf(changes.map(({ class: found }) => found)),
    notCarriedOut: company.notCarriedOut,
    // The stranger's decision is there only as a hash.
    decisions: { read: company.decisions, hidden: 1 },
    changes: { read: changes.length, unreadable: 0 },
    from: new Date(changes[0]!.atMs).toISOString(),
    to: new Date(changes.at(-1)!.atMs).toISOString(),
    findingsLeftOut: 0,
    unreadable: [],
  });
  const byActor = report.byActor.map(({ actor }: { actor: string }) => actor);
  expect(byActor).toEqual(['terms-bot', 'ap-bot', 'pilot-bot', 'dba-tom']);
  expect(report.byField.map(({ field }: { field: string }) => field)).toContain('credit_limit');
  // It contains no values.
  for (const { newValue } of changes) if (newValue !== '') expect(stdout).not.toContain(`"${newValue}"`);
});

test('the service itself gives the same report, to an owner key', async () => {
  const offline = await reconcile(file('changes.csv'), ...exported, '--json');
  const args = [file('changes.csv'), '--service', company.service.url, '--system', 'erp', '--json'];
  const environment = { WRITECHECK_OWNER_KEY: company.service.ownerKey };
  const online = await callWritecheck(['reconcile', ...args], environment);
  expect(online).toEqual(offline);
  const refused = await reconcile(...args, '--key', company.service.liveKey);
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('the service refuses (403)');
});

test('without the bypasses it exits with 0, even with late, observed and development writes', async () => {
  const honest = company.changes.filter(({ class: found }) => !/after_|other_|nobody_/.test(found));
  writeFileSync(file('honest.csv'), changesCsv(honest));
  const { code, stdout } = await reconcile(file('honest.csv'), ...exported);
  expect([code, stdout]).toEqual([0, expect.stringContaining('an allow covers every change')]);
  writeFileSync(file('unreadable.csv'), `${changesCsv(honest)}x\r\n`);
  const unreadable = await reconcile(file('unreadable.csv'), ...exported);
  expect([unreadable.code, unreadable.stdout]).toEqual([
    2,
    expect.stringContaining('1 columns instead of 6'),
  ]);
});

test('a cut export is refused', async () => {
  const whole = readFileSync(file('log.ndjson'), 'utf8');
  writeFileSync(file('cut.ndjson'), whole.slice(0, whole.length / 2));
  const args = ['--export', file('cut.ndjson'), '--system', 'erp', '--json'];
  const { code, stdout, stderr } = await reconcile(file('changes.csv'), ...args);
  expect([code, stdout], stderr).toEqual([2, '']);
});

test('wrong arguments exit with 1, here and under `audit`', async () => {
  for (const args of [
    ['reconcile'],
    ['reconcile', file('changes.csv'), '--export', file('log.ndjson')],
    ['audit', 'reconcile', file('changes.csv'), ...exported, '--unknown'],
  ]) {
    const { code, stdout, stderr } = await callWritecheck(args);
    expect([code, stdout, stderr !== ''], args.join(' ')).toEqual([1, '', true]);
  }
});

test('the page shows the report of this company', async () => {
  const { stdout } = await reconcile(file('changes.csv'), ...exported);
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/reconcile.md'), 'utf8');
  expect(page).toContain(stdout.replaceAll(/dec_[0-9a-f]{32}/g, 'dec_…').trim());
});
