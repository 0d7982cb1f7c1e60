import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { callWritecheck } from '../call-writecheck.ts';
import { type Finished, temporaryFolder } from '../spawn-service.ts';
import { startTestService, type TestService } from '../start-service.ts';

let service: TestService;
let starter: string;
let initialised: Finished;
beforeAll(async () => {
  service = await startTestService();
  starter = join(temporaryFolder(), 'policies');
  initialised = await callWritecheck(['policy', 'init', starter]);
});
afterAll(() => service.stop());

/** The starter's private key: beside its folder. */
const desk = () => join(starter, '../approval-desk/private.jwk');

const policy = (...args: readonly string[]) =>
  callWritecheck(['policy', ...args], {
    WRITECHECK_URL: service.url,
    WRITECHECK_OWNER_KEY: service.ownerKey,
  });

function file(name: string, text: string): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}

/** A copy of the starter bundle as one file, changed. */
function changed(change: (text: string) => string): string {
  const files = readdirSync(starter).filter((name) => name.endsWith('.yaml'));
  return file(
    'bundle.yaml',
    change(files.map((name) => readFileSync(join(starter, name), 'utf8')).join('---\n')),
  );
}

const WRITE = {
  system: 'erp',
  objectType: 'vendor',
  objectRef: 'V-1',
  field: 'iban',
  agentValue: 'DE89',
  authorityFound: true,
  authoritySource: 'vendor-master',
  authorityValue: 'DE89',
};

const WORKSPACE = `ws_${'0'.repeat(32)}`;

describe('the starter bundle', () => {
  test('is written with a schema for editors and a key that only its owner can read', async () => {
    expect([initialised.code, initialised.stderr]).toEqual([0, '']);
    expect(readFileSync(join(starter, 'refund.yaml'), 'utf8')).toContain('$schema=./policy.schema.json');
    expect(JSON.parse(readFileSync(join(starter, 'policy.schema.json'), 'utf8'))).toHaveProperty('$schema');
    expect(statSync(desk()).mode & 0o077).toBe(0);
    expect(initialised.stdout).toContain(`to ${desk()}\n`);
    // Folders that the service reads and images contain hold no private key.
    for (const name of readdirSync(starter))
      expect(readFileSync(join(starter, name), 'utf8')).not.toContain(
        JSON.parse(readFileSync(desk(), 'utf8')).d,
      );
    expect(readFileSync(join(desk(), '../.gitignore'), 'utf8')).toBe('*\n');
    expect((await policy('init', starter)).stderr).toContain('already contains policies');
    const second = join(starter, '../second');
    expect((await policy('init', second)).stderr).toContain('already exists, and a key is not overwritten');
    expect(existsSync(second)).toBe(false);
    const inTheWay = file('in-the-way', '');
    expect((await policy('init', inTheWay)).stderr).toContain('is not a folder that can be read (ENOTDIR)');
    expect(existsSync(join(inTheWay, '../approval-desk/private.jwk'))).toBe(false);
  });

  test('has no errors, no warnings, and tests that pass', async () => {
    const checked = await policy('check', starter, '--strict');
    expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('no errors, no warnings')]);
    const tested = await policy('test', starter);
    expect([tested.code, tested.stdout]).toEqual([0, expect.stringContaining('11 passed, 0 failed')]);
  });

  test('is compared with nothing if no bundle runs yet', async () => {
    const fresh = await startTestService();
    const diff = (...args: readonly string[]) =>
      callWritecheck(['policy', 'diff', 'running', starter, ...args], {
        WRITECHECK_URL: fresh.url,
        WRITECHECK_OWNER_KEY: fresh.ownerKey,
      });
    const { code, stdout } = await diff();
    expect([code, stdout]).toEqual([0, expect.stringContaining('no bundle is active yet')]);
    expect(JSON.parse((await diff('--json')).stdout)).toMatchObject({ loosens: [], tightens: [] });
    await fresh.stop();
  });

  test('decides over HTTP: a signed approval counts once', async () => {
    const applied = await policy('apply', starter);
    expect([applied.code, applied.stderr]).toEqual([0, '']);
    const intent = file(
      'intent.json',
      JSON.stringify({
        ...WRITE,
        controlEvidence: [
          { controlId: 'identity', source: 'okta', result: 'PASS', checkedAt: new Date().toISOString() },
        ],
      }),
    );
    const signed = await callWritecheck([
      ...['evidence', 'sign', intent, '--key', desk()],
      ...['--source', 'approval-desk', '--workspace', service.workspace, '--control', 'approval', '--into'],
    ]);
    expect([signed.code, signed.stderr]).toEqual([
      0,
      expect.stringMatching(/^signed until .*--expires-in\n$/),
    ]);
    const check = () =>
      ask(`${service.url}/v1/check-write`, { key: service.developmentKey, json: JSON.parse(signed.stdout) });
    expect((await check()).body).toMatchObject({ decision: 'allow', reason_code: 'requirements_met' });
    expect((await check()).body).toMatchObject({
      decision: 'pause',
      reason_code: 'CONTROL_EVIDENCE_UNTRUSTED',
    });
  });
});

describe('a changed bundle', () => {
  test('that loosens: diff shows what, with examples, and exits with 3; apply requires confirmation', async () => {
    await policy('apply', starter);
    const looser = changed((text) =>
      text
        .replace('require: [identity, customer_request]\nauthority', 'require: [identity]\nauthority')
        .replace(/---\nkind: PolicyTest\nid: a request of last week[\s\S]*?(?=---)/, ''),
    );
    const diff = await policy('diff', starter, looser);
    expect([diff.code, diff.stderr]).toEqual([3, '']);
    expect(diff.stdout).toContain(
      'loosens  Profile `customer-email`: it no longer requires `customer_request`',
    );
    expect(diff.stdout).toMatch(/example: a write to `crm customer email/);
    const back = await policy('diff', looser, starter);
    expect([back.code, back.stdout]).toEqual([0, expect.stringContaining('tightens')]);
    expect(back.stdout).toMatch(/example: a write to .* is allow .* and becomes pause/);
    const refused = await policy('apply', looser);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('loosening_unconfirmed')]);
    expect(refused.stderr).toContain('then apply it with --confirm-loosening\n');
    expect(refused.stderr).not.toContain('confirmLoosening');
    expect((await policy('apply', looser, '--confirm-loosening')).code).toBe(0);
    const conflict = await policy('apply', starter, '--if-match', 'sha256:0');
    expect([conflict.code, conflict.stderr]).toEqual([1, expect.stringContaining('revision_conflict')]);
  });

  test('with errors lists file, line and column', async () => {
    const bad = changed((text) => text.replace('match: { system: crm', 'mach: { system: crm'));
    const { code, stderr } = await policy('check', bad);
    expect(code).toBe(1);
    expect(stderr).toMatch(/bundle\.yaml:\d+:\d+: a Profile has no member `mach`; did you mean `match`/);
  });

  test('whose tests fail shows what was expected and why', async () => {
    const failing = changed((text) =>
      text.replace('expect: { decision: allow, reason_code', 'expect: { decision: pause, reason_code'),
    );
    const { code, stdout } = await policy('test', failing);
    expect(code).toBe(1);
    expect(stdout).toContain('expect.decision: expected `pause`, found `allow`');
    expect(stdout).toContain('10 passed, 1 failed');
    const { stderr } = await policy('apply', failing);
    expect(stderr).toContain('invalid_policy');
    expect(stderr).toMatch(/bundle\.yaml:\d+:\d+: test `.+`: expected `pause`, found `allow`/);
  });

  test('that is most likely a mistake causes a warning', async () => {
    const odd = file(
      'odd.yaml',
      'kind: Profile\nid: a\nwhen: intent.system == "a" && intent.system == "b"\nrequire: [x]\n',
    );
    const { code, stdout } = await policy('check', odd);
    expect([code, stdout]).toEqual([0, expect.stringContaining('odd.yaml:3:7: this can never be true')]);
    expect((await policy('check', odd, '--strict')).code).toBe(1);
  });
});

test('a key pair is made for a source, and never overwritten', async () => {
  const out = join(temporaryFolder(), 'desk.private.jwk');
  const made = await callWritecheck(['evidence', 'key', '--source', 'desk', '--out', out]);
  const checked = await policy('check', file('desk.yaml', made.stdout));
  expect([made.code, checked.code]).toEqual([0, 0]);
  expect(made.stdout).not.toContain(JSON.parse(readFileSync(out, 'utf8')).d);
  expect((await callWritecheck(['evidence', 'key', '--source', 'desk', '--out', out])).code).toBe(1);
});

describe('signing evidence', () => {
  const sign = (key: string, ...args: readonly string[]) =>
    callWritecheck(
      [
        ...['evidence', 'sign', '-', '--key', key, '--source', 'approval-desk', '--workspace', WORKSPACE],
        ...['--control', 'approval', ...args],
      ],
      {},
      JSON.stringify(WRITE),
    );
  const claimsOf = (stdout: string) =>
    JSON.parse(Buffer.from(JSON.parse(stdout).attestation.split('.')[1], 'base64url').toString());

  test('an id that the service would never accept is refused with the rule', async () => {
    const jti = await sign(desk(), '--jti', ' spaced ');
    expect(jti).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^--jti must have 1 to 256 /),
    });
    for (const id of ['ws_1', 'default', `ws_${'A'.repeat(32)}`]) {
      const refused = await sign(desk(), '--workspace', id);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toMatch(
        /^--workspace must be `ws_` and 32 hexadecimal digits, as `.*writecheck workspace list`/,
      );
    }
  });

  test('holds for an hour by default, and says so', async () => {
    const cases = [[], ['--expires-in', '90s'], ['--never-expires']] as const;
    const [byDefault, short, never] = await Promise.all(cases.map((args) => sign(desk(), ...args)));
    const secondsOf = ({ stdout }: Finished) => {
      const { exp, checkedAt } = claimsOf(stdout);
      return exp - Math.floor(Date.parse(checkedAt) / 1000);
    };
    expect(secondsOf(byDefault!)).toBeGreaterThanOrEqual(3599);
    expect(secondsOf(byDefault!)).toBeLessThanOrEqual(3600);
    expect(secondsOf(short!)).toBeLessThanOrEqual(90);
    expect(claimsOf(never!.stdout)).not.toHaveProperty('exp');
    expect(never!.stderr).toContain("as long as the control's max age allows");
  });

  test.each([
    ['a file without any key', JSON.stringify(WRITE), 'contains no private key'],
    ['a file that is no JSON', 'hello', 'contains no private key'],
    [
      'a public key',
      '{"kty":"OKP","crv":"Ed25519","kid":"a","x":"AA"}',
      'contains only the public half of a key',
    ],
  ])('%s does not require its kid', async (_name, text, message) => {
    const { code, stdout, stderr } = await sign(file('key.json', text));
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
    expect(stderr).not.toContain('--kid');
  });
});

test('without an owner key, or without a service, the message names the fix', async () => {
  expect((await callWritecheck(['policy', 'apply', starter])).stderr).toContain('WRITECHECK_OWNER_KEY');
  const { code, stderr } = await callWritecheck([
    'policy',
    'apply',
    starter,
    '--key',
    'x',
    '--url',
    'http://127.0.0.1:9',
  ]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('does not respond')]);
});

describe('the page about policies', () => {
  test('shows a loosening of the starter bundle as it is reported', async () => {
    const page = readFileSync(new URL('../../../../docs/policies.md', import.meta.url), 'utf8');
    const [, before, after, shown] =
      /\n\$ sed -i 's\/(.+?)\/(.+?)\/' policies\/controls\.yaml\n\$ npx writecheck policy apply policies\n([\s\S]*?)```/.exec(
        page,
      )!;
    const own = await startTestService();
    const env = { WRITECHECK_URL: own.url, WRITECHECK_OWNER_KEY: own.ownerKey };
    try {
      const apply = (path: string) => callWritecheck(['policy', 'apply', path], env);
      expect((await apply(starter)).code).toBe(0);
      const refused = await apply(changed((text) => text.replace(before!, after!)));
      expect(refused.code).toBe(3);
      const told = refused.stderr.replaceAll(/\s+/g, ' ');
      for (const part of shown!.split('...')) expect(told).toContain(part.replaceAll(/\s+/g, ' ').trim());
    } finally {
      await own.stop();
    }
  });

  test('has a bundle for fields and operations that passes its tests, without warnings', async () => {
    const page = readFileSync(new URL('../../../../docs/policies.md', import.meta.url), 'utf8');
    const [, text] = /### Fields and operations side by side[\s\S]*?```yaml\n([\s\S]*?)```/.exec(page)!;
    const path = changed(() => text!);
    const tested = await policy('test', path);
    expect([tested.code, tested.stdout]).toEqual([0, expect.stringContaining('3 passed, 0 failed')]);
    expect((await policy('check', path, '--strict')).code).toBe(0);
  });
});

describe('a profile that only observes', () => {
  const watching =
    'kind: Profile\nid: gl\nmatch: { system: erp, objectType: gl, field: amount }\nrequire: [approval]\nwritePolicy: observe\n';
  const defaults = 'kind: Defaults\nunmatched: { pause: { system: erp } }\n';

  test('may be added without confirmation; enforcing it needs one, with examples that say what was sent', async () => {
    const before = file('before.yaml', defaults);
    const after = file('after.yaml', `${watching}---\n${defaults}`);
    const added = await policy('diff', before, after);
    expect([added.code, added.stdout]).toEqual([0, 'no differences that affect decisions\n']);
    const enforcing = file(
      'enforcing.yaml',
      `${watching.replace('writePolicy: observe\n', '')}---\n${defaults}`,
    );
    const diff = await policy('diff', after, enforcing);
    expect(diff.code).toBe(3);
    const lines = diff.stdout.trimEnd().split('\n');
    const tightens = lines.findIndex((line) => line.startsWith('tightens'));
    const examples = (of: readonly string[]) => of.filter((line) => line.includes('example:'));
    expect(examples(lines.slice(0, tightens)).length).toBeGreaterThan(0);
    for (const line of examples(lines.slice(0, tightens))) expect(line).toMatch(/is pause .* becomes allow$/);
    for (const line of examples(lines.slice(tightens)))
      expect(line).toMatch(/is (allow|pause) .* becomes (pause|block)/);
    expect(new Set(examples(lines)).size).toBe(examples(lines).length);
    expect(lines.join()).toMatch(
      /\(authority from `master` for the same value, `approval` `PASS` from `desk`/,
    );
  });
});
