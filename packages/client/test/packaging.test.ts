import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const home = join(import.meta.dirname, '..');
const bin = join(home, '../../node_modules/.bin');
const project = mkdtempSync(join(tmpdir(), 'writecheck-client-'));
const installed = join(project, 'node_modules/@writecheck/client');

/** The Node of the machine, if it is an older one than ours. */
const OLDER_NODE = '/usr/bin/node';
/** More of them (a Node, Bun or Deno each), as docs/decisions has it: too large to be installed with every checkout. */
const GIVEN = (process.env.WRITECHECK_TEST_RUNTIMES ?? '').split(':').filter((path) => path !== '');
const versionOf = (path: string) =>
  execFileSync(path, ['--version'], { encoding: 'utf8' }).split('\n', 1)[0]!;
const olderVersion = existsSync(OLDER_NODE) ? versionOf(OLDER_NODE) : '';
const runtimes = [
  { path: process.execPath, version: process.version, skip: false },
  { path: OLDER_NODE, version: olderVersion || 'of the machine', skip: !/^v2\d\./.test(olderVersion) },
  ...GIVEN.map((path) => ({ path, version: versionOf(path), skip: false })),
].map((runtime) => ({ ...runtime, name: basename(runtime.path) }));

/** Bun reads headers of any size. The allow below them is a valid one, so it is the only scenario that ends otherwise. */
const executedOn = (name: string) => (name === 'bun' ? ['headers of 1 MiB'] : []);

function run(command: string, args: readonly string[], cwd = project): string {
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    NODE_OPTIONS: '',
    npm_config_offline: 'true',
  };
  return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

beforeAll(() => {
  run('npm', ['run', 'build', '-w', '@writecheck/client'], join(home, '../..'));
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', project], home);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const [tarball] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
  run('npm', ['install', '--no-audit', '--no-fund', `./${tarball}`]);
}, 120_000);

afterAll(() => rmSync(project, { recursive: true, force: true }));

const PROGRAM = `
  import { createClient, isDecision, isLocalDecision } from '@writecheck/client';
  import { signEvidence } from '@writecheck/client/evidence';
  import { verifyReceipt } from '@writecheck/client/receipt';
  import { runFailClosedKit, SCENARIOS } from '@writecheck/client/fail-closed-kit';

  const intent = { system: 'crm', objectType: 'contact', objectRef: 'c-1', field: 'email', agentValue: 'a@example.org' };
  const scenarios = SCENARIOS.filter(({ name }) => !/ after \\d+ bytes$/.test(name));
  const report = await runFailClosedKit((setting) => {
    const client = createClient(setting);
    return (write) => client.guardWrite(intent, write);
  }, { scenarios });

  const client = createClient({ apiKey: 'wck_dev_none', baseUrl: 'http://127.0.0.1:1', timeoutMs: 200 });
  const decision = await client.checkWrite(intent);
  const { privateKey: key } = await crypto.subtle.generateKey({ name: 'Ed25519' }, false, ['sign', 'verify']);
  const item = await signEvidence({ key, kid: 'k', source: 's', workspace: 'w', controlId: 'c', result: 'PASS', intent });
  const verdict = await verifyReceipt({ receipt: {}, intent, keys: [], workspace: 'w', now: 0 });
  console.log(JSON.stringify({
    ran: report.results.length, failures: report.failures.map(({ scenario }) => scenario), executed: report.results.filter((r) => r.writes).length,
    local: isDecision(decision) && isLocalDecision(decision), cause: decision.cause.kind,
    parts: item.attestation.split('.').length, receipt: verdict.ok,
  }));
`;

describe('the packed client in an empty project', () => {
  it('brings nothing else along', () => {
    expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      '@writecheck',
    ]);
    expect(readdirSync(join(project, 'node_modules/@writecheck'))).toEqual(['client']);
    expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))).not.toHaveProperty(
      'dependencies',
    );
  });

  it.for(runtimes)(
    'works in plain JavaScript under $name $version and passes its own kit',
    { timeout: 60_000 },
    (at, { skip }) => {
      skip(at.skip, 'there is no older Node on this machine');
      writeFileSync(join(project, 'program.js'), PROGRAM);
      const flags = at.name === 'deno' ? ['run', '--allow-all', '--node-modules-dir=manual'] : [];
      const found = JSON.parse(run(at.path, [...flags, 'program.js']));
      expect(found).toMatchObject({
        failures: executedOn(at.name),
        executed: 10 + executedOn(at.name).length,
        local: true,
        cause: 'connection_failed',
        parts: 3,
        receipt: false,
      });
      expect(found.ran).toBeGreaterThan(120);
    },
  );

  it('works in strict TypeScript without skipping its declarations', { timeout: 60_000 }, () => {
    mkdirSync(join(project, 'typed'), { recursive: true });
    writeFileSync(
      join(project, 'typed/typed.ts'),
      `
      import { createClient, isLocalDecision, type AllowDecision, type GuardOutcome, type WriteDecision, type WriteIntent } from '@writecheck/client';
      import { signEvidence, type SignedEvidence } from '@writecheck/client/evidence';
      import { verifyReceipt, type ReceiptVerdict } from '@writecheck/client/receipt';
      const client = createClient({ apiKey: 'k', baseUrl: 'http://x', timeoutMs: 2000 });
      const intent: WriteIntent = { system: 'crm', operation: 'contact.update', metadata: { agent: 'a', context: { n: 1 } } };
      export async function use(): Promise<number | string> {
        const decision: WriteDecision = await client.checkWrite(intent);
        if (isLocalDecision(decision)) return decision.cause.message;
        if (decision.decision === 'allow') { const yes: true = decision.allowed; const allow: AllowDecision = decision; void yes; void allow; }
        const outcome: GuardOutcome<number> = await client.guardWrite(intent, async () => 5, { unprotected: true });
        if (outcome.executed) return outcome.result;
        // @ts-expect-error there is no result where nothing was executed
        void outcome.result;
        // @ts-expect-error a decision is one of three words
        void (decision.decision === 'maybe');
        return outcome.decision.reason;
      }
      export const signed: (key: CryptoKey) => Promise<SignedEvidence> = (key) =>
        signEvidence({ key, kid: 'k', source: 's', workspace: 'w', controlId: 'c', result: 'PASS', intent });
      export const verdict: Promise<ReceiptVerdict> = verifyReceipt({ receipt: {}, intent, keys: [], workspace: 'w', now: 0 });
      `,
    );
    for (const [module, moduleResolution] of [
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ]) {
      const compilerOptions = {
        module,
        moduleResolution,
        target: 'es2022',
        lib: ['es2022', 'dom'],
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        noEmit: true,
      };
      writeFileSync(
        join(project, 'typed/tsconfig.json'),
        JSON.stringify({ compilerOptions, include: ['*.ts'] }),
      );
      expect(run('tsc', ['-p', 'typed'])).toBe('');
    }
  });

  it('is under 6.5 KB gzipped, and imports nothing', () => {
    const code = readFileSync(join(installed, 'dist/index.js'));
    expect(gzipSync(code, { level: 9 }).length).toBeLessThan(6500);
    for (const entry of ['index', 'evidence', 'receipt']) {
      const text = readFileSync(join(installed, `dist/${entry}.js`), 'utf8');
      expect(text).not.toMatch(/\bimport\b[^;]{0,200}\bfrom\b|\bimport\s*\(|\brequire\s*\(/);
    }
  });

  it('satisfies publint and are-the-types-wrong', { timeout: 60_000 }, () => {
    expect(run('publint', ['--strict', installed])).toContain('All good!');
    const [tarball = ''] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
    // ESM only, as promised: the profile leaves out require and the resolution of ten years ago. A fault makes it throw.
    expect(run('attw', ['--profile', 'esm-only', join(project, tarball)])).toContain('🟢');
  });
});
