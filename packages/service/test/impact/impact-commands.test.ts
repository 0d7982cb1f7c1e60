/** `writecheck policy impact` and `policy promote` as a pull request would run them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Store } from '@writecheck/store/port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unifiedDiff } from '../../../cli/src/policy/unified-diff.ts';
import { ask } from '../ask.ts';
import { runWritecheck, spawnWritecheck, temporaryFolder } from '../spawn-service.ts';
import { startTestService, type TestService } from '../start-service.ts';

const OBSERVING = `# Bank details
kind: Profile
id: bank
match: { system: erp }   # everything in the ERP
require:
  - identity   # who asks
  - { control: approval } # and who agreed
writePolicy: observe # for now
observeUntil: 2999-01-01T00:00:00Z
---
kind: Defaults
writePolicy: observe
`;
const ENFORCING = OBSERVING.replace(
  'writePolicy: observe # for now\nobserveUntil: 2999-01-01T00:00:00Z',
  'writePolicy: enforce',
);

let service: TestService;
let folder: string;
let enforcing: string;
beforeAll(async () => {
  service = await startTestService();
  folder = join(temporaryFolder(), 'policies');
  mkdirSync(folder);
  writeFileSync(join(folder, 'bank.yaml'), OBSERVING);
  enforcing = join(temporaryFolder(), 'enforcing.yaml');
  writeFileSync(enforcing, ENFORCING);
  expect((await policy('apply', folder)).code).toBe(0);
  for (let i = 0; i < 4; i += 1) {
    const json = { system: 'erp', operation: 'vendor.update', objectRef: `V-${i}` };
    const reply = await ask(`${service.url}/v1/check-write`, { key: service.liveKey, json });
    expect(reply.body).toMatchObject({ decision: 'allow' });
  }
});
afterAll(() => service.stop());

function policy(...args: readonly string[]) {
  return runWritecheck(['policy', ...args], {
    WRITECHECK_URL: service.url,
    WRITECHECK_OWNER_KEY: service.ownerKey,
  });
}

describe('policy impact', () => {
  test('shows what a bundle would stop, and exits with 4 if that is too much', async () => {
    const shown = await policy('impact', enforcing);
    expect([shown.code, shown.stdout], shown.stderr).toEqual([
      0,
      expect.stringContaining('newly stopped: 4 decisions'),
    ]);
    expect(shown.stderr).toContain('100 %');
    const gated = await policy('impact', enforcing, '--max-newly-stopped', '3', '--max-newly-allowed', '0');
    expect([gated.code, gated.stderr]).toEqual([
      4,
      expect.stringContaining('newly stopped: 4 of 4 decisions, more than 3'),
    ]);
    expect(
      (await policy('impact', enforcing, '--max-newly-stopped', '100%', '--max-not-replayed', '0')).code,
    ).toBe(0);
    expect((await policy('impact', enforcing, '--max-newly-stopped', '99.9%')).code).toBe(4);
  });

  test('prints the run and its report as JSON', async () => {
    const { code, stdout } = await policy(
      'impact',
      folder,
      '--json',
      '--days',
      '1',
      '--baseline',
      'recorded',
    );
    expect(code).toBe(0);
    const { run, report } = JSON.parse(stdout);
    expect(run).toMatchObject({ state: 'done', baseline: 'recorded' });
    expect(report.coverage).toMatchObject({ decisions: 4, replayed: 4 });
  });

  test('says which tests of the bundle fail, and reports despite them if requested', async () => {
    const failing = join(temporaryFolder(), 'failing.yaml');
    const expectation = `kind: PolicyTest
id: it allows
now: "2026-11-15T12:00:00Z"
intent: { system: erp, operation: vendor.update }
expect: { decision: allow }
`;
    writeFileSync(failing, `${ENFORCING}---\n${expectation}`);
    const refused = await policy('impact', failing);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('it allows: expect.decision: expected `allow`');
    expect(refused.stderr).toContain('--despite-tests');
    const reported = await policy('impact', failing, '--despite-tests');
    expect(reported.code, reported.stderr).toBe(0);
    expect(reported.stdout).toContain('newly stopped: 4 decisions');
    expect(reported.stderr).toContain('the report is about the bundle without its tests');
  });

  test('exits with 1 without a report, and says if nothing is in the range', async () => {
    const none = await policy('impact', folder, '--system', 'crm');
    expect([none.code, none.stdout]).toEqual([0, expect.stringMatching(/^no decisions .*\n$/)]);
    const json = { system: 'hris', operation: 'employee.update' };
    await ask(`${service.url}/v1/check-write`, { key: service.developmentKey, json });
    const { code, stdout } = await policy('impact', folder, '--system', 'hris');
    expect([code, stdout]).toEqual([0, expect.stringContaining('made with a development key')]);
    const wrong = join(temporaryFolder(), 'wrong.yaml');
    writeFileSync(wrong, 'kind: Profile\n');
    expect((await policy('impact', wrong)).code).toBe(1);
    expect((await policy('impact', folder, '--max-newly-stopped', 'few')).code).toBe(1);
    expect((await policy('impact', folder, '--days', '0')).code).toBe(1);
  });
});

test('an interrupt cancels the run, and exits with 1', async () => {
  // The run never gets beyond its first step.
  const stuck = (store: Store): Store => ({ ...store, countDecisions: () => new Promise(() => undefined) });
  const held = await startTestService({ throughStore: stuck });
  const { url, ownerKey } = held;
  const { child, finished, stderr } = spawnWritecheck(['policy', 'impact', enforcing], {
    ...{ WRITECHECK_URL: url, WRITECHECK_OWNER_KEY: ownerKey },
  });
  const runs = async () => (await ask(`${url}/v1/policies/impact`, { key: ownerKey })).body.runs;
  await expect.poll(stderr, { timeout: 30_000 }).toContain('replaying');
  child.kill('SIGINT');
  const { code, stdout } = await finished;
  expect([code, stdout, stderr()]).toEqual([1, '', expect.stringContaining('the run is cancelled')]);
  expect(await runs()).toMatchObject([{ state: 'cancelled', digest: null }]);
  await held.stop();
});

describe('policy promote', () => {
  test('prints no change and exits with 4 if the profile is not ready, so that a pipe enforces nothing', async () => {
    const { code, stdout, stderr } = await policy('promote', 'bank', '--policies', folder);
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toContain('not met: days, has 0, needs at least 7');
    expect(stderr).toContain('no change is printed, because it is not ready');
  });

  test('prints the change of the file if forced, under a name that git applies', async () => {
    const { code, stdout, stderr } = await policy('promote', 'bank', '--policies', folder, '--force');
    expect([code, stderr]).toEqual([4, expect.stringContaining('not met: days, has 0, needs at least 7')]);
    // The command runs in the folder for temporary files, which holds the policies.
    expect(stdout).toContain(`--- a/${relative(tmpdir(), folder)}/bank.yaml\n`);
    expect(stdout).toContain('-writePolicy: observe # for now\n');
    expect(stdout).toContain('+writePolicy: enforce # for now\n');
    expect(stdout).toContain('-observeUntil: 2999-01-01T00:00:00Z\n');
    expect(stdout).toMatch(
      /\+ {2}- \{ control: "identity", promotedFrom: \{ source: "observe", .* \} \} {3}# who asks\n/,
    );
    expect((await policy('promote', 'nobody', '--policies', folder)).code).toBe(1);
    const refused = await policy('promote', 'bank', '--policies', folder, '--apply');
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('promotion_not_earned')]);
  });

  test('exits with 0 if laxer thresholds are met, or if forced and applied', async () => {
    const lax = ['--min-days', '0', '--min-decisions', '1', '--max-stopped', '100%'];
    const ready = await policy('promote', 'bank', '--json', ...lax);
    expect(ready.code, ready.stderr).toBe(0);
    expect(JSON.parse(ready.stdout).assessment).toMatchObject({ verdict: 'ready', status: 'forced' });
    const args = ['--policies', folder, '--apply', '--force', '--confirm-loosening'];
    const forced = await policy('promote', 'bank', ...args);
    expect([forced.code, forced.stderr]).toEqual([0, expect.stringContaining('revision 2 is now active')]);
  });
});

describe('the change of a file', () => {
  test('is a diff that patch reads', () => {
    expect(unifiedDiff('p.yaml', 'a\nb\nc\nd\ne\nf\n', 'a\nb\nc\nX\ne\nf\n')).toBe(
      '--- a/p.yaml\n+++ b/p.yaml\n@@ -1,6 +1,6 @@\n a\n b\n c\n-d\n+X\n e\n f\n',
    );
    expect(unifiedDiff('p.yaml', 'a', 'a\nb')).toContain('\\ No newline at end of file\n');
    expect(unifiedDiff('p.yaml', 'a\n', 'a\n')).toBe('');
  });
});
