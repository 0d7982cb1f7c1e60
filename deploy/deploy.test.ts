/** The image, the compose file and the unit use settings, commands and paths that the service has. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@writecheck/service/support/config/load-config';
import { SETTINGS } from '@writecheck/service/support/config/settings';
import { DCLinter } from 'dclint';
import { validate as lintDockerfile } from 'dockerfile-utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { program as allCommands, SECRETS } from '../packages/cli/src/program.ts';
import { ask } from '../packages/service/test/ask.ts';
import { startTestService, type TestService } from '../packages/service/test/start-service.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const VARIABLES: ReadonlySet<string> = new Set(Object.values(SETTINGS).map(({ variable }) => variable));
const PROBE_PATHS = ['/healthz', '/readyz'];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('every setting named in a deployment file or on the operations page exists', () => {
  const files = [
    'Dockerfile',
    'docs/operations.md',
    ...globSync('deploy/**/*.{yaml,service,json}', { cwd: ROOT }),
  ];
  const named = files.flatMap((file) => read(file).match(/\bWRITECHECK_[A-Z_]*[A-Z]\b/g) ?? []);
  expect(named.length).toBeGreaterThan(20);
  const others = new Set([
    'WRITECHECK_URL',
    'WRITECHECK_API_KEY',
    'WRITECHECK_OWNER_KEY',
    'WRITECHECK_WORKSPACE',
    ...SECRETS.map((name) => `${name}_FILE`),
  ]);
  expect(named.filter((name) => !VARIABLES.has(name) && !others.has(name))).toEqual([]);
});

test('every command on the operations page exists', () => {
  const program = allCommands();
  const lines =
    read('docs/operations.md').match(/(?<=`|\n|\$ |run --rm (?:-it )?)writecheck [a-z][^`\n]*/g) ?? [];
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) {
    let command = program;
    for (const word of line.split(/\s+/).slice(1)) {
      const found = command.commands.find((each) => each.name() === word);
      if (found === undefined) break;
      command = found;
    }
    expect(
      command.commands.map((each) => each.name()),
      line,
    ).toEqual([]);
  }
});

test('the probe paths are open routes and respond', async () => {
  const named = [
    read('Dockerfile'),
    read('deploy/compose.yaml'),
    read(`deploy/helm/writecheck/templates/deployment.yaml`),
  ].flatMap((text) => text.match(/\/(?:healthz|readyz|livez|health|ready)\b/g) ?? []);
  expect(new Set(named)).toEqual(new Set(PROBE_PATHS));
  for (const path of PROBE_PATHS) expect((await ask(`${service.url}${path}`)).status, path).toBe(200);
});

describe('the image', () => {
  const text = read('Dockerfile');
  const instructions = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
  const valuesOf = (name: string) =>
    last.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1).trim());

  test('passes the linter', () => {
    expect(lintDockerfile(text)).toEqual([]);
  });
  test('runs as a numeric non-root user, and no step follows', () => {
    expect(valuesOf('USER')).toEqual(['1000:1000']);
    const after = last.slice(last.findIndex((line) => line.startsWith('USER ')));
    expect(after.filter((line) => /^(?:RUN|COPY|ADD) /.test(line))).toEqual([]);
  });
  test('contains only built files in its last stage, no sources or tools', () => {
    expect(valuesOf('COPY')).toEqual(['--from=modules /app /app', '--from=build /built /app']);
    expect(text).toContain('npm ci --workspace=writecheck --omit=dev --omit=optional --ignore-scripts');
  });
  test('copies the manifest of every workspace before it installs', () => {
    const { workspaces, scripts } = JSON.parse(read('package.json'));
    const manifests = workspaces.flatMap((folder: string) =>
      globSync(`${folder}/package.json`, { cwd: ROOT }),
    );
    const copied = [...text.matchAll(/^COPY (\S+)\/package\.json \1\/$/gm)].map(
      ([, folder]) => `${folder}/package.json`,
    );
    expect(copied.sort()).toEqual(manifests.sort());
    expect(text).toContain('RUN npm run build\n');
    for (const folder of [
      'contract',
      'api',
      'engine',
      'ledger',
      'audit',
      'client',
      'adapters',
      'console',
      'service',
    ]) {
      const { name, scripts: own } = JSON.parse(read(`packages/${folder}/package.json`));
      expect(own.build, name).toBeDefined();
      expect(`${scripts.build} `, name).toContain(`-w ${name} `);
    }
  });
  test('installs the same for x64 and arm64, and needs an emulator only in its last stage', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: {
        [path: string]: { dev?: boolean; optional?: boolean; cpu?: unknown; hasInstallScript?: boolean };
      };
    };
    const runs = Object.entries(packages).filter(
      ([, { dev, optional }]) => dev !== true && optional !== true,
    );
    expect(runs.length).toBeGreaterThan(50);
    const bound = runs.filter(
      ([, { cpu, hasInstallScript }]) => cpu !== undefined || hasInstallScript === true,
    );
    expect(bound.map(([path]) => path)).toEqual([]);
    const native = 'node_modules/better-sqlite3/prebuilds';
    for (const cpu of ['x64', 'arm64'])
      expect(existsSync(join(ROOT, native, `linux-${cpu}.node`)), cpu).toBe(true);
    const stages = instructions.filter((line) => line.startsWith('FROM '));
    const isBuildersOwn = (line: string) =>
      /^FROM --platform=\S*BUILDPLATFORM| AS (?:modules|build)$/.test(line);
    expect(stages.map(isBuildersOwn)).toEqual(stages.map((_, at) => at < stages.length - 1));
  });
  test.each(['service', 'store'])('compiles every thread of the %s', (folder) => {
    // TypeScript allows comments in it.
    const built = JSON.parse(read(`packages/${folder}/tsconfig.build.json`).replace(/^\s*\/\/.*$/gm, ''));
    const threads = globSync('src/**/*-thread.ts', { cwd: join(ROOT, 'packages', folder) });
    expect(threads.length).toBeGreaterThan(2);
    expect(built.include).toEqual(['src']);
    expect(built.exclude).toEqual(['src/**/*.test.ts']);
  });
  test('is built on a supported Node version', () => {
    const major = Number(/^ARG NODE_IMAGE=node:(\d+)-slim$/m.exec(text)?.[1]);
    expect(major).toBeGreaterThanOrEqual(
      Number(/\d+/.exec(JSON.parse(read('packages/service/package.json')).engines.node)),
    );
  });
  test('listens on the exposed port, with valid settings', () => {
    const set = Object.fromEntries(
      [
        ...valuesOf('ENV')
          .join(' ')
          .matchAll(/(\w+)=(\S+)/g),
      ].map(([, k, v]) => [k, v]),
    );
    const { NODE_ENV, ...settings } = set;
    const loaded = loadConfig(settings, {});
    expect(loaded).toMatchObject({ kind: 'config', config: { host: '0.0.0.0', port: 8080, data: '/data' } });
    expect(valuesOf('EXPOSE')).toEqual(['8080']);
    expect(valuesOf('VOLUME')).toEqual(['/data']);
    expect(NODE_ENV).toBe('production');
  });
  test('ignores files of a working copy that contain data or secrets', () => {
    const ignored = read('.dockerignore').split('\n');
    for (const path of ['.git', '.writecheck', '**/node_modules', '**/*.pem', '**/.env*', '**/dist'])
      expect(ignored).toContain(path);
  });
});

describe('the compose file', () => {
  const { services } = parse(read('deploy/compose.yaml'));

  test('passes the schema of Compose and the linter', () => {
    const style = ['service-keys-order', 'services-alphabetical-order', 'require-quotes-in-ports'];
    const linter = new DCLinter({
      rules: Object.fromEntries(style.map((rule) => [rule, 0])),
      quiet: false,
      debug: false,
      exclude: [],
    });
    const [result] = linter.lintFiles([join(ROOT, 'deploy/compose.yaml')], false);
    expect(result?.messages).toEqual([]);
  });
  test('runs on a read-only file system without privileges, on loopback only, after its database', () => {
    expect(services.writecheck).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      ports: ['127.0.0.1:8080:8080'],
      depends_on: {
        postgres: { condition: 'service_healthy' },
        migrate: { condition: 'service_completed_successfully' },
      },
    });
    const { writecheck, migrate } = services;
    expect(migrate).toMatchObject({ read_only: true, cap_drop: ['ALL'], depends_on: { postgres: {} } });
    expect(migrate.environment.WRITECHECK_DATABASE_URL).toBe(writecheck.environment.WRITECHECK_DATABASE_URL);
    expect(allCommands().commands.map((each) => each.name())).toContain(migrate.command[0]);
    expect(services.writecheck.volumes).toEqual(['writecheck-data:/data']);
    expect(services.postgres.ports).toBeUndefined();
  });
  test('sets valid settings, and contains no password', () => {
    const { environment } = services.writecheck;
    const filled = Object.entries(environment as { [name: string]: string }).map(([name, value]) => [
      name,
      value.replace(/\$\{POSTGRES_PASSWORD:\?[^}]*\}/, 'secret').replace(/\$\{\w+:-(\w+)\}/, '$1'),
    ]);
    expect(loadConfig(Object.fromEntries(filled), {})).toMatchObject({
      kind: 'config',
      config: { databaseUrl: 'postgres://writecheck:secret@postgres:5432/writecheck', signup: 'closed' },
    });
    expect(services.postgres.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
  });
});

describe('the witness unit', () => {
  const text = read('deploy/systemd/writecheck-witness.service');
  test('runs a command that exists, into the only folder it may write to', () => {
    const [, line] = /^ExecStart=\/usr\/local\/bin\/writecheck (.*)$/m.exec(text)!;
    const [first, second] = line!.split(' ');
    const command = allCommands()
      .commands.find((each) => each.name() === first)!
      .commands.find((each) => each.name() === second)!;
    const options = command.options.map(({ long }) => long);
    for (const [option] of line!.matchAll(/--[a-z]+/g)) expect(options).toContain(option);
    expect(line).toContain('--out /var/lib/writecheck-witness');
    expect(text).toContain('StateDirectory=writecheck-witness');
  });
  test('is restarted whatever ends it', () => {
    for (const line of ['Restart=on-failure', 'StartLimitIntervalSec=0'])
      expect(text.split('\n')).toContain(line);
  });
  test('is as restricted as the service', () => {
    const restrictions = (unit: string) =>
      unit
        .split('\n')
        .filter((line) => /^(?:Protect|Private|Restrict[A-Z]|System|Lock|Capab|NoNew)/.test(line));
    expect(restrictions(text)).toEqual(restrictions(read('deploy/systemd/writecheck.service')));
  });
});

describe.each(['backup', 'archive', 'verify', 'prune'])('the timer for %s', (name) => {
  const unit = read(`deploy/systemd/writecheck-${name}.service`);
  const timer = read(`deploy/systemd/writecheck-${name}.timer`);
  test('runs what exists, as restricted as the service', () => {
    const restrictions = (text: string) =>
      text
        .split('\n')
        .filter((line) => /^(?:Protect|Private|Restrict[A-Z]|System|Lock|Capab|NoNew|UMask)/.test(line));
    expect(restrictions(unit)).toEqual(restrictions(read('deploy/systemd/writecheck.service')));
    // Whoever can change the store cannot change what was verified of it.
    expect(unit).toContain(`\nUser=writecheck${name === 'verify' ? '-verify' : ''}\n`);
    for (const [line, first, second] of unit.matchAll(/writecheck (audit) (\w+)[^\n';]*/g)) {
      const command = allCommands()
        .commands.find((each) => each.name() === first)!
        .commands.find((each) => each.name() === second)!;
      const options = command.options.map(({ long }) => long);
      for (const [option] of line.matchAll(/--[a-z-]+/g)) expect(options, line).toContain(option);
    }
    expect(unit).toContain('Type=oneshot\n');
  });
  test('is a unit whose shell lines systemd leaves to the shell, and a timer that catches up', () => {
    const isLine = /^(?:#.*|\[(?:Unit|Service|Install|Timer)\]|[A-Z][A-Za-z]+=.*|)$/;
    for (const text of [unit, timer])
      expect(text.split('\n').filter((line) => !isLine.test(line))).toEqual([]);
    for (const [line] of unit.matchAll(/^ExecStart=\/bin\/sh.*$/gm)) {
      expect(line.replaceAll('$$', '')).not.toContain('$');
      expect(line.replaceAll('%%', '')).not.toContain('%');
    }
    expect(timer).toContain('Persistent=yes\n');
    expect(timer).toMatch(/^OnCalendar=\S/m);
  });
});

describe.each([
  ['timer', 'deploy/systemd/writecheck-verify.service', '/var/lib/writecheck-verify'],
  ['chart', 'deploy/helm/writecheck/templates/cron-verify.yaml', '/trusted'],
])('the verification of the %s', (_, file, kept) => {
  test('reads the whole log at first and every week, and in between what is new', () => {
    const text = read(file);
    const script =
      /^ExecStart=\/bin\/sh -euc '(.*)'$/m.exec(text)?.[1]?.replaceAll('$$', '$') ??
      /args:\n\s+- \|\n(.*?)\n\s+env:/s.exec(text)![1]!;
    const folder = mkdtempSync(join(tmpdir(), 'writecheck-verify-'));
    const shown = script.replaceAll(kept, folder);
    const stub = 'writecheck() { echo "$*"; case "$*" in *--keep*) touch "$folder/checkpoints";; esac; }\n';
    const night = () => {
      const env = { ...process.env, folder, DAYS: '0', KEYS: 'k' };
      const run = spawnSync('/bin/sh', ['-euc', stub + shown.replaceAll('exec writecheck', 'writecheck')], {
        env,
      });
      const words = run.stdout.toString().replaceAll(`${folder}/`, '');
      return [...words.matchAll(/audit (\w+)|(--since|--known)/g)].map(([word]) => word);
    };
    const whole = ['audit export', 'audit verify', '--known'];
    expect(night()).toEqual(whole.slice(0, 2));
    const since = ['audit export', '--since', 'audit verify', '--since'];
    // The stub does not `exec`, so it continues after the first two commands.
    expect(night().slice(0, 4)).toEqual(since);
    utimesSync(join(folder, 'whole'), 0, 0);
    expect(night()).toEqual(whole);
    rmSync(folder, { recursive: true });
  });
});

test('the timer for backup keeps a copy of the database although the signing key is gone, and fails', () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-backup-'));
  const [, script] = /^ExecStart=\/bin\/sh -euc '(.*)'$/m.exec(
    read('deploy/systemd/writecheck-backup.service'),
  )!;
  const shown = script!
    .replaceAll('$$', '$')
    .replaceAll('%%', '%')
    .replaceAll("\\'", "'")
    .replaceAll('/var/backups/writecheck', folder);
  const stub = `sqlite3() { touch "$(echo "$2" | cut -d "'" -f 2)"; }\n`;
  const backUp = (key: string) => {
    const env = { ...process.env, WRITECHECK_SIGNING_KEY: key };
    const { status } = spawnSync('/bin/sh', ['-euc', stub + shown], { env });
    const [made] = readdirSync(folder);
    const files = readdirSync(join(folder, made!)).sort();
    rmSync(join(folder, made!), { recursive: true });
    return { isDone: status === 0, files };
  };
  writeFileSync(join(folder, '../key-of-backup.pem'), 'key');
  expect(backUp(join(folder, '../key-of-backup.pem'))).toEqual({
    isDone: true,
    files: ['signing-key.pem', 'writecheck.db'],
  });
  expect(backUp(join(folder, 'none.pem'))).toEqual({ isDone: false, files: ['writecheck.db'] });
  rmSync(join(folder, '../key-of-backup.pem'));
  rmSync(folder, { recursive: true });
});

describe('the timer for prune', () => {
  const unit = read('deploy/systemd/writecheck-prune.service');
  test('does nothing while no file says how many days to keep', () => {
    expect(unit).toContain('ConditionPathExists=/etc/writecheck/retention.env\n');
    expect(unit).toContain('EnvironmentFile=/etc/writecheck/retention.env\n');
    expect(unit).not.toMatch(/^Environment=KEEP_DAYS/m);
  });
  test.each([
    ['400', true],
    ['', false],
    ['0', false],
    ['-5', false],
    ['a year', false],
  ])('erases only what is older than a number of days: %j', (days, isRun) => {
    const [, script] = /^ExecStart=\/bin\/sh -euc '(.*)'$/m.exec(unit)!;
    const shown = script!
      .replaceAll('$$', '$')
      .replaceAll('%%', '%')
      .replace('exec writecheck', 'echo writecheck');
    const { stdout, status } = spawnSync('/bin/sh', ['-euc', shown], { env: { KEEP_DAYS: days } });
    expect(status === 0).toBe(isRun);
    expect(stdout.toString()).toMatch(isRun ? /^writecheck audit prune --before 20\S+Z --yes/ : /^$/);
  });
});

describe('the unit', () => {
  const lines = read('deploy/systemd/writecheck.service').split('\n');
  test('waits for its database for as long as it takes', () => {
    expect(lines).toContain('StartLimitIntervalSec=0');
    expect(lines).toContain('Restart=on-failure');
    expect(lines.find((line) => line.startsWith('After='))).toContain('postgresql.service');
  });
  test('keeps its data in the only folder it may write to', () => {
    for (const line of [
      'User=writecheck',
      'ProtectSystem=strict',
      'StateDirectory=writecheck',
      'Environment=WRITECHECK_DATA=/var/lib/writecheck',
      'NoNewPrivileges=yes',
    ])
      expect(lines).toContain(line);
  });
  test('lets the service recognize a restart of the machine', () => {
    // Below /proc/sys, which `ProcSubset=pid` hides: a restart of the service would then trust a clock that was set ahead.
    expect(lines.filter((line) => line.startsWith('ProcSubset='))).toEqual([]);
  });
  test('gives the service enough time to drain', () => {
    expect(Number(/TimeoutStopSec=(\d+)/.exec(lines.join('\n'))?.[1])).toBeGreaterThan(10);
  });
  test('every line is a comment, a section or an assignment', () => {
    expect(
      lines.filter((line) => !/^(?:#.*|\[(?:Unit|Service|Install)\]|[A-Z][A-Za-z]+=.*|)$/.test(line)),
    ).toEqual([]);
  });
});
