import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runFailClosedKit, SCENARIOS } from '../../../../conformance/client-kit/index.ts';
import { runWritecheck, spawnWritecheck } from '../spawn-service.ts';
import { startTestService, type TestService } from '../start-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'writecheck-hook-'));
const mapping = join(folder, 'tools.yaml');
const evidence = join(folder, 'evidence.json');
writeFileSync(
  mapping,
  `read: [Read]
write:
  mcp__crm__update_contact:
    intent:
      system: crm
      objectType: contact
      objectRef: "{{id}}"
      field: email
      agentValue: "{{email}}"
      requiredControls: [identity, approval]
    evidence: [{ file: evidence.json }]
`,
);
const slow = join(folder, 'slow.yaml');
writeFileSync(
  slow,
  readFileSync(mapping, 'utf8').replace(
    '{ file: evidence.json }',
    "{ command: [sh, -c, 'echo looking >&2; sleep 600'] }",
  ),
);
/** The Node of the machine, if it is an older one than ours. */
const OLDER_NODE = '/usr/bin/node';
const BIN = join(import.meta.dirname, '../../../cli/bin/writecheck.js');
const isOlder =
  existsSync(OLDER_NODE) && /^v2[0-3]\./.test(execFileSync(OLDER_NODE, ['--version'], { encoding: 'utf8' }));
const PASS = [
  { controlId: 'identity', source: 'okta', result: 'PASS' },
  { controlId: 'approval', source: 'desk', result: 'PASS' },
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const call = (tool_name: string) =>
  JSON.stringify({
    session_id: 's',
    transcript_path: '/t',
    cwd: '/',
    hook_event_name: 'PreToolUse',
    tool_name,
    tool_input: { id: 'c-1', email: 'a@example.org' },
    tool_use_id: 'toolu_1',
  });
const WRITE = call('mcp__crm__update_contact');

function hook(
  input: string,
  { args = ['--mapping', mapping], env = {} as NodeJS.ProcessEnv, controlEvidence = PASS as unknown } = {},
) {
  writeFileSync(evidence, JSON.stringify({ controlEvidence }));
  uses += 1;
  const fresh = input.replace('"toolu_1"', `"toolu_fresh_${uses}"`);
  return runWritecheck(['hook', 'claude', ...args], asking(env), fresh);
}
/** A tool use is permitted once, so each call of the hook has its own id unless a test names one. */
let uses = 0;

function asking(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { WRITECHECK_URL: service.url, WRITECHECK_API_KEY: service.developmentKey, ...env };
}

describe('writecheck hook claude', () => {
  test('an allow is exit code 0 without output, so that the permission rules of the host still apply', async () => {
    expect(await hook(WRITE)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('the decision is on record with a digest of all arguments', async () => {
    const response = await fetch(`${service.url}/v1/decisions?limit=1`, {
      headers: { authorization: `Bearer ${service.ownerKey}` },
    });
    const { decisions } = (await response.json()) as { decisions: [{ decision_id: string }] };
    const one = await fetch(`${service.url}/v1/decisions/${decisions[0].decision_id}`, {
      headers: { authorization: `Bearer ${service.ownerKey}` },
    });
    expect(await one.json()).toMatchObject({
      intent: {
        agentValue: 'a@example.org',
        metadata: {
          context: {
            tool: 'mcp__crm__update_contact',
            argumentsDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
          },
        },
      },
    });
  });

  test('a tool that is listed as read runs without a check', async () => {
    const { code } = await hook(call('Read'), { env: { WRITECHECK_URL: 'http://127.0.0.1:1' } });
    expect(code).toBe(0);
  });

  test.each([
    ['a pause', WRITE, { controlEvidence: PASS.slice(0, 1) }, /paused for review: .*approval/],
    ['a block', WRITE, { controlEvidence: [{ ...PASS[0], result: 'FAIL' }] }, /blocked: .*identity/],
    ['a tool in no list', call('Bash'), {}, /neither mapped to an intent nor listed as read/],
    ['a service that is down', WRITE, { env: { WRITECHECK_URL: 'http://127.0.0.1:1' } }, /no valid decision/],
    ['a wrong key', WRITE, { env: { WRITECHECK_API_KEY: 'wck_dev_wrong' } }, /no valid decision/],
    ['no key', WRITE, { env: { WRITECHECK_API_KEY: '' } }, /no API key/],
    ['evidence that cannot be read', WRITE, { controlEvidence: 'none' }, /is not a list/],
    ['a mapping that is not there', WRITE, { args: ['--mapping', '/nowhere'] }, /cannot be read/],
    ['no mapping', WRITE, { args: [] }, /--mapping/],
    ['an unknown flag', WRITE, { args: ['--mapping', mapping, '--strict'] }, /--strict/],
    ['an input that is not JSON', 'x', {}, /^the hook input on stdin is not strict JSON[^\n]*\n$/],
    ['no input', '', {}, /is not strict JSON/],
    [
      'a tool that is named twice',
      WRITE.replace('{', '{"tool_name":"crm",').replace(/\}$/, ',"tool_name":"Read"}'),
      {},
      /tool_name/,
    ],
    ['another event', WRITE.replace('PreToolUse', 'PostToolUse'), {}, /PreToolUse/],
  ])('%s is exit code 2 with its reason on stderr', async (_, input, change, reason) => {
    const { code, stdout, stderr } = await hook(input, change);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(reason);
    expect(stderr).not.toContain(service.developmentKey);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s is exit code 2, and the evidence command ends too',
    async (signal) => {
      const spawned = spawnWritecheck(['hook', 'claude', '--mapping', slow], asking(), WRITE);
      // The evidence command says on stderr that it runs, and then waits.
      await expect.poll(spawned.stderr, { timeout: 30_000 }).toContain('looking');
      spawned.child.kill(signal);
      // `finished` waits for everyone who holds stderr, so also for the command, which would outlast this test.
      expect(await spawned.finished).toMatchObject({ code: 2 });
    },
  );

  for (const delayMs of [0, 10, 25, 50, 100]) {
    const tags = [0, 50].includes(delayMs) ? [] : ['nightly'];
    const name = `the documented command blocks if a signal ends it ${delayMs} ms after its start, before the program runs`;
    test(name, { tags }, async () => {
      const page = readFileSync(join(import.meta.dirname, '../../../../docs/frameworks/claude.md'), 'utf8');
      const [, documented] = /"command": "(.+)",$/m.exec(page)!;
      const command = documented!
        .replace('HUP;', 'HUP; echo trapped >&2;')
        .replace('npx writecheck', `"${process.execPath}" "${BIN}"`)
        .replace('writecheck-tools.yaml', mapping);
      writeFileSync(evidence, JSON.stringify({ controlEvidence: PASS }));
      const shell = spawn('sh', ['-c', command], { detached: true, env: { ...process.env, ...asking() } });
      // A signal before the fork reaches only the shell: the program then runs to its allow, and the trap still
      // blocks.
      shell.stdin.on('error', () => {}).end(WRITE);
      const ended = new Promise((resolve) => shell.on('exit', (code) => resolve(code)));
      await new Promise<void>((resolve) => {
        shell.stderr.on('data', (chunk) => String(chunk).includes('trapped') && resolve());
      });
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      process.kill(-shell.pid!, 'SIGTERM');
      expect(await ended).toBe(2);
    });
  }

  test.skipIf(!isOlder)('an older Node is exit code 2, for `check` too', () => {
    const run = (...args: string[]) => spawnSync(OLDER_NODE, [BIN, ...args], { input: WRITE });
    for (const args of [
      ['hook', 'claude', '--mapping', mapping],
      ['check', '-'],
    ]) {
      expect(run(...args).status).toBe(2);
      expect(String(run(...args).stderr)).toContain('needs Node 24 or newer');
    }
  });

  test('a tool use is permitted once, and another one has its own decision', async () => {
    const named = (id: string) => WRITE.replace('toolu_1', id);
    expect((await hook(named('toolu_named'))).code).toBe(0);
    const again = await hook(named('toolu_named'));
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('another run of this call has taken its allow');
    expect((await hook(named('toolu_other'))).code).toBe(0);
  });

  test('passes the fail-closed kit as a process, at one in 40 of its scenarios', {
    timeout: 180_000,
    tags: 'nightly',
  }, async () => {
    writeFileSync(evidence, JSON.stringify({ controlEvidence: PASS }));
    const scenarios = SCENARIOS.filter((_, index) => index % 40 === 0);
    const report = await runFailClosedKit(
      ({ baseUrl, apiKey }) =>
        async (write) => {
          const env = { WRITECHECK_URL: baseUrl, WRITECHECK_API_KEY: apiKey };
          const { code } = await runWritecheck(['hook', 'claude', '--mapping', mapping], env, WRITE);
          if (code === 0) await write();
        },
      { scenarios, concurrency: 2 },
    );
    expect(report.failures).toEqual([]);
    expect(report.results.length).toBeGreaterThan(15);
  });
});
