/** `writecheck policy impact` as a pull request would run it, and the forecast of `policy apply`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { runWritecheck, temporaryFolder } from '../spawn-service.ts';
import { startTestService, type TestService } from '../start-service.ts';

const OBSERVING = `# Bank details
kind: Profile
id: bank
match: { system: erp }
require: [identity, approval]
writePolicy: observe
---
kind: Defaults
writePolicy: observe
`;
const ENFORCING = OBSERVING.replace('writePolicy: observe', 'writePolicy: enforce');

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
  const applied = await policy('apply', folder);
  expect([applied.code, applied.stdout]).toEqual([
    0,
    expect.stringContaining('no decisions in the last 7 days'),
  ]);
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
    expect(shown.stdout).toContain('4  profile:bank');
    expect(shown.stderr).toContain('100 %');
    const gated = await policy('impact', enforcing, '--max-newly-stopped', '3', '--max-newly-allowed', '0');
    expect([gated.code, gated.stderr]).toEqual([
      4,
      expect.stringContaining('newly stopped: 4 of 4 decisions, more than 3'),
    ]);
    expect((await policy('impact', enforcing, '--max-newly-stopped', '100%')).code).toBe(0);
    expect((await policy('impact', enforcing, '--max-newly-stopped', '99.9%')).code).toBe(4);
  });

  test('prints the report as JSON', async () => {
    const { code, stdout } = await policy('impact', folder, '--json', '--days', '1');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).coverage).toMatchObject({ decisions: 4, replayed: 4 });
  });

  test('exits with 1 without a report, and says if nothing is in the range', async () => {
    const none = await policy('impact', folder, '--system', 'crm');
    expect([none.code, none.stdout]).toEqual([0, expect.stringMatching(/^no decisions .*\n$/)]);
    expect(none.stderr).toContain('--include-development');
    const wrong = join(temporaryFolder(), 'wrong.yaml');
    writeFileSync(wrong, 'kind: Profile\n');
    expect((await policy('impact', wrong)).code).toBe(1);
    expect((await policy('impact', folder, '--max-newly-stopped', 'few')).code).toBe(1);
    expect((await policy('impact', folder, '--days', '0')).code).toBe(1);
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
    expect(refused.stderr).toContain('invalid_policy');
    expect(refused.stderr).toContain('it allows');
  });
});

describe('policy apply', () => {
  const only = 'kind: Profile\nid: crm\nmatch: { system: crm }\nrequire: [identity]\n';

  test('says first what would have changed, and which kinds of writes no rule covers', async () => {
    const other = join(temporaryFolder(), 'other.yaml');
    writeFileSync(other, `${only}---\nkind: Defaults\nunmatched: pause\n`);
    const { code, stdout } = await policy('apply', other, '--confirm-loosening');
    expect(code).toBe(0);
    const [tried, ...lines] = stdout.split('\n');
    expect(tried).toBe('tried on 4 of 4 decisions of the last 7 days');
    expect(lines).toContain('newly stopped: 4 decisions (100.0 %), 4 different writes');
    expect(lines).toContain('no rule covers 1 kind of writes:');
    expect(lines).toContain('         4  erp vendor.update');
    expect(lines.at(-3)).toBe('revision 2 is now active');
  });

  test('goes on without a report while another run is in progress', async () => {
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      void navigator.locks.request('impact', () => {
        resolve();
        return new Promise<void>((release) => {
          letGo = release;
        });
      });
    });
    await held;
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${service.ownerKey}`, 'content-type': 'application/json' };
    const run = { method: 'POST', headers, body: '{"current":true}', signal: leaving.signal };
    expect((await fetch(`${service.url}/v1/policies/impact`, run)).status).toBe(200);
    const { code, stdout } = await policy('apply', enforcing, '--confirm-loosening');
    leaving.abort();
    letGo();
    expect([code, stdout]).toEqual([0, expect.stringContaining('run_in_progress')]);
  });
});
