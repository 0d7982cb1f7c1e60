import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALLOWED, ask, check, PAUSED } from '../ask.ts';
import { callWritecheck } from '../call-writecheck.ts';
import { knownWithin } from '../known-within.ts';
import { runWritecheck, temporaryFolder } from '../spawn-service.ts';
import { startTestService, type TestService } from '../start-service.ts';

let service: TestService;
const folder = temporaryFolder();
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

function intentFile(intent: unknown): string {
  const file = join(folder, `${Math.random()}.json`);
  writeFileSync(file, typeof intent === 'string' ? intent : JSON.stringify(intent));
  return file;
}

const asking = () => ({ WRITECHECK_URL: service.url, WRITECHECK_API_KEY: service.developmentKey });
const BLOCKED = {
  ...ALLOWED,
  controlEvidence: [...ALLOWED.controlEvidence, { controlId: 'approval', source: 'x', result: 'FAIL' }],
};

describe('writecheck check', () => {
  test.each([
    ['allow', ALLOWED, 0],
    ['pause', PAUSED, 10],
    ['block', BLOCKED, 11],
  ])('%s is shown in words and by its exit code', async (decision, intent, exitCode) => {
    const { code, stdout } = await runWritecheck(['check', intentFile(intent)], asking());
    expect(code).toBe(exitCode);
    expect(stdout).toMatch(new RegExp(`^${decision.toUpperCase()}  \\w+\n.+`));
    expect(stdout).toContain('identity  CONTROL_SATISFIED  okta');
    expect(stdout).toContain('dec_');
    if (decision !== 'allow') expect(stdout).toContain('what would satisfy it');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for the escapes of colours.
    expect(stdout).not.toMatch(/\u001b\[/);
  });

  test('the check is what the file says, even if JSON.parse would read it differently', async () => {
    // The last member makes V8 read the escaped name before it as its own first characters (nodejs/node#63785).
    const text = String.raw`{"q1":1,"\u0072equiredControls":["identity","approval"],"system":"payroll","operation":"pay","authorityFound":true,"agentValue":"x","authorityValue":"x","metadata":{"q1":1,"\\u0072equiredCon":1,"a":1,"b":1,"c":1,"d":1,"e":1,"g":1}}`;
    const { code, stdout } = await callWritecheck(['check', '-', '--json'], asking(), text);
    expect(code).toBe(10);
    expect(JSON.parse(stdout).requiredControls).toEqual(['identity', 'approval']);
  });

  test('--json prints the decision for machines, and - reads stdin', async () => {
    const { code, stdout } = await callWritecheck(['check', '-', '--json'], asking(), JSON.stringify(PAUSED));
    expect(code).toBe(10);
    expect(JSON.parse(stdout)).toMatchObject({ decision: 'pause', schemaVersion: 'write_intent.v1' });
  });

  test('flags win over the environment', async () => {
    const wrong = { WRITECHECK_URL: 'http://127.0.0.1:1', WRITECHECK_API_KEY: 'wrong' };
    const args = ['check', intentFile(ALLOWED), '--url', service.url, '--key', service.developmentKey];
    expect((await callWritecheck(args, wrong)).code).toBe(0);
  });

  test.each([
    [
      'no service',
      () => ({ WRITECHECK_URL: 'http://127.0.0.1:1', WRITECHECK_API_KEY: service.developmentKey }),
      ALLOWED,
    ],
    ['a wrong key', () => ({ WRITECHECK_URL: service.url, WRITECHECK_API_KEY: 'wck_dev_wrong' }), ALLOWED],
    ['an owner key', () => ({ WRITECHECK_URL: service.url, WRITECHECK_API_KEY: service.ownerKey }), ALLOWED],
    ['no key', () => ({ WRITECHECK_URL: service.url }), ALLOWED],
    ['an intent that is not valid', asking, { system: 'crm' }],
    ['a file that is no JSON', asking, '{"system":'],
  ])('%s is not a decision: exit code 2, and never an allow', async (_name, environment, intent) => {
    const { code, stdout, stderr } = await callWritecheck(['check', intentFile(intent)], environment());
    expect(code).toBe(2);
    expect(stdout).not.toContain('ALLOW');
    expect(stdout + stderr).not.toMatch(/\n\s+at /);
    expect(stdout + stderr).not.toContain(service.ownerKey);
  });

  test('an owner key is distinguished from a service that does not respond', async () => {
    const file = intentFile(ALLOWED);
    const refused = await callWritecheck(['check', file, '--key', service.ownerKey, '--url', service.url]);
    expect(refused.stdout).toContain('an owner key cannot send checks; use a development or live key');
    expect(refused.stderr).toContain('use another key with --key or WRITECHECK_API_KEY');
    const away = await callWritecheck(['check', file], { ...asking(), WRITECHECK_URL: 'http://127.0.0.1:1' });
    expect(away.stderr).toBe(
      'the check went to http://127.0.0.1:1; name another service with --url or WRITECHECK_URL\n',
    );
  });

  test.each([
    ['check', 2],
    ['policy diff running running', 1],
    ['audit export', 2],
  ])('%s requires a complete URL and says so', async (command, exitCode) => {
    const args = [...command.split(' '), ...(command === 'check' ? [intentFile(ALLOWED)] : [])];
    const { code, stderr } = await callWritecheck([...args, '--key', 'x', '--url', 'localhost:8080']);
    expect([code, stderr]).toEqual([
      exitCode,
      '`localhost:8080` is not the URL of a service; use a URL like `http://127.0.0.1:8080` in --url or WRITECHECK_URL\n',
    ]);
  });

  test('standard input is called by its name', async () => {
    const { code, stderr } = await callWritecheck(['check', '-'], asking(), '{"system":"crm"}');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^standard input is not a valid intent/)]);
  });

  test('a missing file is named with the fix', async () => {
    const { code, stderr } = await callWritecheck(['check', '/nowhere.json'], asking());
    expect([code, stderr]).toEqual([2, '`/nowhere.json` cannot be read; give a file or - for stdin\n']);
  });
});

describe('commands on the store', () => {
  const on = (...args: string[]) => callWritecheck([...args, '--data', service.folder]);

  test('a workspace created on the store is served immediately', async () => {
    const { code, stdout } = await on('workspace', 'create', 'Accounts payable');
    expect(code).toBe(0);
    const key = /development key +(\S+)/.exec(stdout)![1]!;
    expect((await check(service, ALLOWED, { key })).body.decision).toBe('allow');
    expect((await on('workspace', 'list')).stdout).toContain('Accounts payable');
  });

  test('keys are created, listed without their secret, and revoked within a second', async () => {
    const workspace = ['--workspace', service.workspace];
    const made = await on(
      'keys',
      'create',
      ...workspace,
      '--kind',
      'live',
      '--name',
      'bot',
      '--system',
      'crm',
      'erp',
    );
    expect(made.code).toBe(0);
    const [, id, secret] = /key +(\S+)\nsecret +(\S+)/.exec(made.stdout)!;
    expect((await check(service, ALLOWED, { key: secret! })).status).toBe(200);
    expect((await check(service, { ...ALLOWED, system: 'hr' }, { key: secret! })).status).toBe(403);
    const listed = await on('keys', 'list', ...workspace);
    expect(listed.stdout).toContain(id);
    expect(listed.stdout).not.toContain(secret);
    const asJson = JSON.parse((await on('keys', 'list', ...workspace, '--json')).stdout);
    expect(asJson.keys.find((key: { id: string }) => key.id === id)).toMatchObject({
      allowedSystems: ['crm', 'erp'],
    });
    expect((await on('keys', 'revoke', id!, ...workspace)).code).toBe(0);
    const refused = await knownWithin(
      1_000,
      () => check(service, ALLOWED, { key: secret! }),
      ({ status }) => status !== 200,
    );
    expect(refused.body.error.code).toBe('key_revoked');
  });

  test('a key is rotated: the new secret is shown once, the old key works for its grace time', async () => {
    const workspace = ['--workspace', service.workspace];
    const create = (...args: string[]) => on('keys', 'create', ...workspace, '--name', 'turning', ...args);
    const made = await create('--kind', 'live', '--system', 'crm', '--workflow', 'w1', 'w2');
    const [, id, secret] = /key +(\S+)\nsecret +(\S+)/.exec(made.stdout)!;
    const lineOf = async (key: string) =>
      (await on('keys', 'list', ...workspace)).stdout.split('\n').find((line) => line.includes(key));
    expect(await lineOf(id!)).toMatch(
      / {2}live +active {2}never used {2}turning {2}systems: crm {2}workflows: w1, w2$/,
    );

    const rotated = await on('keys', 'rotate', id!, ...workspace, '--grace-seconds', '600');
    expect([rotated.code, rotated.stderr]).toEqual([0, '']);
    const [, newId, newSecret] = /key +(\S+)\nsecret +(\S+)/.exec(rotated.stdout)!;
    const until = /works until (\S+)\.\n$/.exec(rotated.stdout)![1]!;
    const graceMs = Date.parse(until) - Date.now();
    expect(graceMs).toBeGreaterThan(0);
    expect(graceMs).toBeLessThanOrEqual(600_000);
    for (const key of [secret!, newSecret!]) {
      const reply = await check(service, { ...ALLOWED, system: 'hr' }, { key });
      expect(reply.body.error.code).toBe('insufficient_scope');
    }
    expect(await lineOf(id!)).toContain(`active until ${until}  `);
    expect(await lineOf(newId!)).toMatch(
      / {2}live +active {2}.*turning {2}systems: crm {2}workflows: w1, w2$/,
    );
  });

  test('a rotated owner key stops immediately, unless a grace time is set', async () => {
    const workspace = ['--workspace', service.workspace];
    const made = await on('keys', 'create', ...workspace, '--kind', 'owner', '--name', 'second');
    const [, id, secret] = /key +(\S+)\nsecret +(\S+)/.exec(made.stdout)!;
    const rotated = await on('keys', 'rotate', id!, ...workspace);
    expect(rotated.stdout).toMatch(new RegExp(`It will not be shown again\\.\n${id} no longer works\\.\n$`));
    const list = () => ask(`${service.url}/v1/keys`, { key: secret! });
    expect((await knownWithin(1_000, list, ({ status }) => status !== 200)).status).toBe(401);
  });

  test('a rotation that is refused says why and prints no secret', async () => {
    const workspace = ['--workspace', service.workspace];
    const unknown = await on('keys', 'rotate', 'key_nope', ...workspace);
    expect(unknown).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'there is no such key in this workspace; list the keys to find its id\n',
    });
    const wrong = await on('keys', 'rotate', 'key_nope', ...workspace, '--grace-seconds', '1h');
    expect(wrong.stderr).toBe('--grace-seconds must be a whole number from 0 to 2592000\n');
  });

  test('live keys on the hosted plan need a grant', async () => {
    const create = () =>
      on(
        'keys',
        'create',
        '--workspace',
        service.workspace,
        '--plan',
        'hosted',
        '--kind',
        'live',
        '--name',
        'x',
      );
    expect(await create()).toMatchObject({
      code: 1,
      stderr:
        'live keys need the operator to grant them to this workspace, with `writecheck workspace grant-live`\n',
    });
    expect((await on('workspace', 'grant-live', service.workspace)).code).toBe(0);
    expect((await create()).code).toBe(0);
  });

  test('the search index is rebuilt from the log', async () => {
    const before = (await ask(`${service.url}/v1/decisions?limit=200`, { key: service.ownerKey })).body;
    const { code, stdout } = await on('index', 'rebuild');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^indexed \d+ records\ncounted \d+ groups of limits; 0 differed from the log and were corrected\n$/,
    );
    expect((await ask(`${service.url}/v1/decisions?limit=200`, { key: service.ownerKey })).body).toEqual(
      before,
    );
  });

  test('mistakes are reported with the fix, all together', async () => {
    const many = await on(
      'keys',
      'create',
      '--workspace',
      service.workspace,
      '--kind',
      'owner',
      '--name',
      ' x',
      '--expires-at',
      'soon',
      '--system',
      'a',
    );
    expect(many.code).toBe(1);
    for (const place of ['--name', '--expires-at', '--system']) expect(many.stderr).toContain(`- ${place}`);
    expect((await on('keys', 'list', '--workspace', 'ws_nope')).stderr).toMatch(
      /^there is no workspace `ws_nope`; see `.*writecheck workspace list`\n$/,
    );
    expect((await on('keys', 'list')).stderr).toContain(
      'there are several workspaces; name one with --workspace',
    );
    expect((await on('keys', 'revoke', 'key_nope', '--workspace', service.workspace)).stderr).toContain(
      'no such key',
    );
    for (const [typed, meant] of [
      ['serv', 'serve'],
      ['key list', 'keys'],
      ['keys rotat', 'rotate'],
      ['check x --keys y', '--key'],
    ] as const)
      expect((await callWritecheck(typed.split(' '))).stderr).toContain(`Did you mean ${meant}?`);
  });
});

test.each([
  ['check'],
  ['check', 'x.json', '--nonsense'],
  ['audit', 'verify', 'x.ndjson'],
  ['audit', 'replay'],
])('misused, `%s %s %s` exits with 2: it found nothing, good or bad', async (...args) => {
  expect((await callWritecheck(args)).code).toBe(2);
});

test.each(['--version', '-V'])('%s prints the version', async (flag) => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  expect(await callWritecheck([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('on an old Node nothing is decided: the exit code is that of a blocking hook', async () => {
  const old = 'Object.defineProperty(process, "versions", { value: { node: "20.1.0" } })';
  const bin = join(import.meta.dirname, '../../../cli/bin/writecheck.js');
  const { status, stderr } = spawnSync(process.execPath, [
    ...['--import', `data:text/javascript,${encodeURIComponent(old)}`, bin, 'check', 'x.json'],
  ]);
  expect([status, String(stderr)]).toEqual([2, expect.stringContaining('needs Node 24 or newer')]);
});
