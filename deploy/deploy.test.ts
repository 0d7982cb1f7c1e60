/** What we deploy uses settings, commands, paths and series that the service has, and its scripts lose nothing. */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@writecheck/service/support/config/load-config';
import { SETTINGS } from '@writecheck/service/support/config/settings';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { program as allCommands, SECRETS } from '../packages/cli/src/program.ts';
import { ALLOWED, ask, check } from '../packages/service/test/ask.ts';
import { startTestService, type TestService } from '../packages/service/test/start-service.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const DEPLOYED = globSync('deploy/**/*.{yaml,service,json,txt}', { cwd: ROOT });

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ settings: { metricsPort: '0' } });
});
afterAll(() => service.stop());

test('every setting named in a deployment file or on the operations page exists', () => {
  const known = new Set([
    ...Object.values(SETTINGS).map(({ variable }) => variable),
    ...['WRITECHECK_URL', 'WRITECHECK_API_KEY', 'WRITECHECK_OWNER_KEY', 'WRITECHECK_WORKSPACE'],
    ...SECRETS.map((name) => `${name}_FILE`),
  ]);
  const named = ['Dockerfile', 'docs/operations.md', ...DEPLOYED].flatMap(
    (file) => read(file).match(/\bWRITECHECK_[A-Z_]*[A-Z]\b/g) ?? [],
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test('every command and option in a deployment file or on the operations page exists', () => {
  const lines = ['docs/operations.md', 'docs/runbooks.md', ...DEPLOYED].flatMap((file) => [
    ...read(file).matchAll(/(?<=`|\n\s*|\$ |; |exec |bin\/|run --rm (?:-it )?)writecheck [a-z][^`\n';#]*/g),
  ]);
  expect(lines.length).toBeGreaterThan(30);
  for (const [line] of lines) {
    let command = allCommands();
    for (const word of line.trim().split(/\s+/).slice(1)) {
      const found = command.commands.find((each) => each.name() === word);
      if (found === undefined) break;
      command = found;
    }
    expect(
      command.commands.map((each) => each.name()),
      line,
    ).toEqual([]);
    const options = command.options.map(({ long }) => long);
    for (const [option] of line.matchAll(/(?<= )--[a-z][a-z-]+/g)) expect(options, line).toContain(option);
  }
});

test('the probe paths are open routes and respond', async () => {
  const named = [
    'Dockerfile',
    'deploy/compose.yaml',
    'deploy/helm/writecheck/templates/deployment.yaml',
  ].flatMap((file) => read(file).match(/\/(?:healthz|readyz|livez|health|ready)\b/g) ?? []);
  expect(new Set(named)).toEqual(new Set(['/healthz', '/readyz']));
  for (const path of new Set(named)) expect((await ask(`${service.url}${path}`)).status, path).toBe(200);
});

describe('alerts and dashboard', () => {
  const rules: readonly { readonly alert: string; readonly expr: string; readonly annotations: object }[] =
    parse(read('deploy/prometheus/alerts.yaml')).groups.flatMap(
      (group: { readonly rules: readonly object[] }) => group.rules,
    );

  test('a running service serves every series they and the runbooks name', async () => {
    await check(service, ALLOWED);
    const { text } = await ask(`${service.metricsUrl}/metrics`);
    const served = new Set([...text.matchAll(/^(?:# TYPE )?(\w+)/gm)].map(([, name]) => name!));
    const panels: readonly { readonly targets: readonly { readonly expr: string }[] }[] = JSON.parse(
      read('deploy/grafana/dashboard.json'),
    ).panels;
    const texts = [
      read('docs/runbooks.md'),
      ...rules.map(({ expr }) => expr),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    const named = new Set(texts.flatMap((each) => each.match(/\b(?:writecheck|nodejs|process)_\w+/g) ?? []));
    expect(named.size).toBeGreaterThan(20);
    expect([...named].filter((name) => !served.has(name) && !served.has(`${name}_count`))).toEqual([]);
  });
  test('every alert links to its heading among the runbooks, and every heading has an alert', () => {
    const page = 'https://github.com/writecheck/writecheck/blob/main/docs/runbooks.md';
    for (const { alert, annotations } of rules)
      expect(annotations).toMatchObject({ runbook_url: `${page}#${alert.toLowerCase()}` });
    const headings = [...read('docs/runbooks.md').matchAll(/^### (\w+)$/gm)].map(([, name]) => name!);
    expect(headings.sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });
});

describe('the chart', () => {
  const CHART = 'deploy/helm/writecheck';
  const values = parse(read(`${CHART}/values.yaml`));

  test('every value is used, and every used value exists', () => {
    const templates = globSync(`${CHART}/templates/*`, { cwd: ROOT }).map(read).join('\n');
    const used = new Set([...templates.matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path!));
    const leaves = (value: unknown, path: string): readonly string[] =>
      used.has(path) || typeof value !== 'object' || value === null || Array.isArray(value)
        ? [path]
        : Object.entries(value).flatMap(([name, inner]) =>
            leaves(inner, path === '' ? name : `${path}.${name}`),
          );
    expect([...leaves(values, '')].sort()).toEqual([...used].sort());
  });
  test('the schema of values accepts these, and refuses a typo', () => {
    const isValid = new Ajv().compile(JSON.parse(read(`${CHART}/values.schema.json`)));
    expect(isValid(values), JSON.stringify(isValid.errors)).toBe(true);
    expect(isValid({ ...values, replica: 3 })).toBe(false);
    expect(isValid({ ...values, prune: { ...values.prune, enabled: true, keepDays: 0 } })).toBe(false);
  });
  test('every pod runs as non-root on a read-only file system, without capabilities or a token', () => {
    const helpers = read(`${CHART}/templates/_helpers.tpl`);
    for (const line of [
      'runAsNonRoot: true',
      'readOnlyRootFilesystem: true',
      'automountServiceAccountToken: false',
    ])
      expect(helpers).toContain(line);
    for (const file of globSync(`${CHART}/templates/{deployment,cron-*,job-*}.yaml`, { cwd: ROOT }))
      for (const part of ['writecheck.pod', 'writecheck.containerSecurity'])
        expect(read(file), file).toContain(`include "${part}"`);
  });
  test('has the version of the service', () => {
    const { version } = JSON.parse(read('packages/service/package.json'));
    expect(parse(read(`${CHART}/Chart.yaml`)).appVersion).toBe(version);
  });
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

  test('runs as a numeric non-root user, and no step follows', () => {
    expect(valuesOf('USER')).toEqual(['1000:1000']);
    const after = last.slice(last.findIndex((line) => line.startsWith('USER ')));
    expect(after.filter((line) => /^(?:RUN|COPY|ADD) /.test(line))).toEqual([]);
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
  test.each(['service', 'store'])('compiles every thread of the %s', (folder) => {
    // TypeScript allows comments in it.
    const built = JSON.parse(read(`packages/${folder}/tsconfig.build.json`).replace(/^\s*\/\/.*$/gm, ''));
    const threads = globSync('src/**/*-thread.ts', { cwd: join(ROOT, 'packages', folder) });
    expect(threads.length).toBeGreaterThan(2);
    expect(built.include).toEqual(['src']);
    expect(built.exclude).toEqual(['src/**/*.test.ts']);
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
    expect(loaded).toMatchObject({
      kind: 'config',
      config: { host: '0.0.0.0', port: 8080, data: '/data', signup: 'closed' },
    });
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

  test('runs without privileges, on loopback only', () => {
    expect(services.writecheck).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      ports: ['127.0.0.1:8080:8080'],
      depends_on: {
        postgres: { condition: 'service_healthy' },
      },
    });
    expect(services.writecheck.volumes).toEqual(['writecheck-data:/data']);
    expect(services.postgres.ports).toBeUndefined();
  });
  test('sets valid settings, and contains no password', () => {
    const { environment } = services.writecheck;
    const filled = Object.entries(environment as { [name: string]: string }).map(([name, value]) => [
      name,
      value.replace(/\$\{POSTGRES_PASSWORD:\?[^}]*\}/, 'secret').replace(/\$\{\w+:-(\w*)\}/, '$1'),
    ]);
    expect(loadConfig(Object.fromEntries(filled), {})).toMatchObject({
      kind: 'config',
      config: { databaseUrl: 'postgres://writecheck:secret@postgres:5432/writecheck', signup: 'closed' },
    });
    expect(services.postgres.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
  });
});

describe.each(['backup', 'verify', 'prune'])('the timer for %s', (name) => {
  const unit = read(`deploy/systemd/writecheck-${name}.service`);
  test('is as restricted as the service', () => {
    const restrictions = (text: string) =>
      text
        .split('\n')
        .filter((line) => /^(?:Protect|Private|Restrict[A-Z]|System|Lock|Capab|NoNew|UMask)/.test(line));
    expect(restrictions(unit)).toEqual(restrictions(read('deploy/systemd/writecheck.service')));
    // Whoever can change the store cannot change what was verified of it.
    expect(unit).toContain(`\nUser=writecheck${name === 'verify' ? '-verify' : ''}\n`);
  });
  test('has shell lines that systemd leaves to the shell', () => {
    for (const [line] of unit.matchAll(/^ExecStart=\/bin\/sh.*$/gm)) {
      expect(line.replaceAll('$$', '')).not.toContain('$');
      expect(line.replaceAll('%%', '')).not.toContain('%');
    }
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
