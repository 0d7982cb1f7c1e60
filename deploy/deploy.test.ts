/** What is deployed agrees with the program: settings, ports, paths and metrics, held to schemas and linters. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DCLinter } from 'dclint';
import { validate as lintDockerfile } from 'dockerfile-utils';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Service } from 'kubernetes-models/v1/Service';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { program as allCommands } from '../packages/service/src/cli/program.ts';
import { loadConfig } from '../packages/service/src/config/load-config.ts';
import { SETTINGS } from '../packages/service/src/config/settings.ts';
import { ALLOWED, ask, check } from '../packages/service/test/ask.ts';
import { startTestService, type TestService } from '../packages/service/test/start-service.ts';
import { selectorsOf, seriesIn } from './promql.ts';
import { renderChart, renderTemplate, type Values } from './render-chart.ts';

const ROOT = join(import.meta.dirname, '..');
const CHART = join(ROOT, 'deploy/helm/writecheck');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const VARIABLES: ReadonlySet<string> = new Set(Object.values(SETTINGS).map(({ variable }) => variable));
const PROBE_PATHS = ['/healthz', '/readyz'];

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ settings: { metricsPort: '0' } });
});
afterAll(() => service.stop());

test('every setting that a deployment file or the operations page names is one of the program', () => {
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
  ]);
  expect(named.filter((name) => !VARIABLES.has(name) && !others.has(name))).toEqual([]);
});

test('every command on the operations page is one of the program', () => {
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

test('the paths that probes ask are open routes, and answer', async () => {
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
  test('runs by number as somebody who is not root, and nothing is made after that', () => {
    expect(valuesOf('USER')).toEqual(['1000:1000']);
    const after = last.slice(last.findIndex((line) => line.startsWith('USER ')));
    expect(after.filter((line) => /^(?:RUN|COPY|ADD) /.test(line))).toEqual([]);
  });
  test('has in its last stage what was built and what runs, no sources and no tools of ours', () => {
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
    for (const folder of ['contract', 'engine', 'ledger', 'client', 'adapters', 'console', 'service']) {
      const { name, scripts: own } = JSON.parse(read(`packages/${folder}/package.json`));
      expect(own.build, name).toBeDefined();
      expect(`${scripts.build} `, name).toContain(`-w ${name} `);
    }
  });
  test('is built on a Node that the program runs on', () => {
    const major = Number(/^ARG NODE_IMAGE=node:(\d+)-slim$/m.exec(text)?.[1]);
    expect(major).toBeGreaterThanOrEqual(
      Number(/\d+/.exec(JSON.parse(read('packages/service/package.json')).engines.node)),
    );
  });
  test('listens where it says, under settings that the program takes', () => {
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
  test('gets no file of a working copy that holds data or secrets', () => {
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
  test('runs on a read-only file system without rights, for this machine alone, after its database', () => {
    expect(services.writecheck).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      ports: ['127.0.0.1:8080:8080'],
      depends_on: { postgres: { condition: 'service_healthy' } },
    });
    expect(services.writecheck.volumes).toEqual(['writecheck-data:/data']);
    expect(services.postgres.ports).toBeUndefined();
  });
  test('sets what the program takes, and has no password in it', () => {
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

describe('the chart', () => {
  const values: Values = parse(read('deploy/helm/writecheck/values.yaml'));
  const other = structuredClone(values) as { [name: string]: { [name: string]: unknown } };
  Object.assign(other.settings!, { trustProxy: '10.0.0.0/8', publicUrl: 'https://checks.example.com' });
  Object.assign(other.image!, { digest: `sha256:${'0'.repeat(64)}` });
  Object.assign(other.networkPolicy!, { callers: [{ podSelector: { matchLabels: { role: 'agent' } } }] });
  const of = (rendered: Map<string, Values>) => ({
    deployment: rendered.get('deployment.yaml') as ConstructorParameters<typeof Deployment>[0],
    service: rendered.get('service.yaml') as ConstructorParameters<typeof Service>[0],
    budget: rendered.get('disruption-budget.yaml') as ConstructorParameters<typeof PodDisruptionBudget>[0],
    network: rendered.get('network-policy.yaml') as ConstructorParameters<typeof NetworkPolicy>[0],
  });
  const { deployment, service: front, budget, network } = of(renderChart(CHART, values));
  const pod = deployment!.spec!.template.spec!;
  const container = pod.containers[0]!;

  test.each([
    ['as it comes', values],
    ['with everything set', other],
  ])('%s is valid by the schemas of Kubernetes', (_, chosen) => {
    const all = of(renderChart(CHART, chosen));
    new Deployment(all.deployment).validate();
    new Service(all.service).validate();
    new PodDisruptionBudget(all.budget).validate();
    new NetworkPolicy(all.network).validate();
  });
  test('the schemas of Kubernetes would refuse a slip', () => {
    const slip = structuredClone(deployment!);
    Object.assign(slip.spec!.template.spec!.containers[0]!, { ports: [{ containerPort: '8080x' }] });
    expect(() => new Deployment(slip).validate()).toThrow();
  });
  test('runs as somebody who is not root, on a read-only file system, without capabilities or a token', () => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
  });
  test('kills for a dead process alone, and takes away what cannot decide', () => {
    expect(container.livenessProbe?.httpGet).toEqual({ path: '/healthz', port: 'http' });
    expect(container.startupProbe?.httpGet).toEqual({ path: '/healthz', port: 'http' });
    expect(container.readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'http' });
    const grace = pod.terminationGracePeriodSeconds! - container.lifecycle!.preStop!.sleep!.seconds;
    expect(grace).toBeGreaterThan(10);
  });
  test('sets what the program takes; the URL and the key come from secrets', () => {
    const key = join(CHART, 'Chart.yaml');
    const set = container.env!.map(({ name, value }) => [
      name,
      name === 'WRITECHECK_DATABASE_URL'
        ? 'postgres://u:p@db/w'
        : name === 'WRITECHECK_SIGNING_KEY'
          ? key
          : value!,
    ]);
    const loaded = loadConfig({ WRITECHECK_HOST: '0.0.0.0', ...Object.fromEntries(set) }, {});
    expect(loaded).toMatchObject({
      kind: 'config',
      config: { metricsPort: 9090, signup: 'closed', workers: 1 },
    });
    expect(
      container.env!.find(({ name }) => name === 'WRITECHECK_DATABASE_URL')?.valueFrom?.secretKeyRef,
    ).toEqual({ name: 'writecheck-database', key: 'url' });
    const mounted = pod.volumes!.find(({ name }) => name === 'signing-key')?.secret;
    expect(mounted).toEqual({
      secretName: 'writecheck-signing-key',
      defaultMode: 0o440,
      items: [{ key: 'key.pem', path: 'signing-key.pem' }],
    });
    const folder = container.volumeMounts!.find(({ name }) => name === 'signing-key')!.mountPath;
    expect(container.env!.find(({ name }) => name === 'WRITECHECK_SIGNING_KEY')?.value).toBe(
      `${folder}/signing-key.pem`,
    );
  });
  test('a replica stays when nodes are drained, and a new one answers before an old one goes', () => {
    expect(Number(budget!.spec!.maxUnavailable)).toBeLessThan(deployment!.spec!.replicas!);
    expect(deployment!.spec!.strategy?.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
  });
  test('everything selects the pods, and names ports that they have', () => {
    const labels = deployment!.spec!.template.metadata!.labels!;
    for (const selector of [
      deployment!.spec!.selector.matchLabels!,
      front!.spec!.selector!,
      budget!.spec!.selector!.matchLabels!,
      network!.spec!.podSelector!.matchLabels!,
    ]) {
      expect(Object.keys(selector).length).toBe(2);
      expect(labels).toMatchObject(selector);
    }
    const ports = new Set(container.ports!.map(({ name }) => name));
    expect(ports.has(String(front!.spec!.ports![0]!.targetPort))).toBe(true);
    for (const { ports: open } of network!.spec!.ingress!)
      expect(ports.has(String(open![0]!.port))).toBe(true);
  });
  test('every value is used, and every value used is there', () => {
    const templates = globSync(`${CHART}/templates/*`)
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    const used = new Set([...templates.matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path!));
    const leaves = (value: unknown, path: string): string[] =>
      used.has(path) || typeof value !== 'object' || value === null || Array.isArray(value)
        ? [path]
        : Object.entries(value).flatMap(([name, inner]) =>
            leaves(inner, path === '' ? name : `${path}.${name}`),
          );
    expect(leaves(values, '').sort()).toEqual([...used].sort());
  });
  test('is refused without its secrets', () => {
    const lacking = { ...values, database: { secret: '', key: 'url' } };
    expect(() => renderChart(CHART, lacking)).toThrow('name the secret with the URL of the database');
  });
  test('has the version of the program', () => {
    expect(parse(read('deploy/helm/writecheck/Chart.yaml')).appVersion).toBe(
      JSON.parse(read('packages/service/package.json')).version,
    );
  });
  test('what the renderer of these tests does not know is an error', () => {
    const scope = { Values: {}, Chart: { AppVersion: '1' }, Release: { Name: 'r', Service: 'Helm' } };
    for (const template of [
      '{{ range .Values }}',
      '{{ .Values.a }}',
      '{{ if .Values }}',
      '{{ end }}',
      '{{ .Chart.AppVersion | upper }}',
    ])
      expect(() => renderTemplate(template, scope), template).toThrow();
  });
});

describe('the unit', () => {
  const lines = read('deploy/systemd/writecheck.service').split('\n');
  test('keeps its data where it may write, and may write nowhere else', () => {
    for (const line of [
      'User=writecheck',
      'ProtectSystem=strict',
      'StateDirectory=writecheck',
      'Environment=WRITECHECK_DATA=/var/lib/writecheck',
      'NoNewPrivileges=yes',
    ])
      expect(lines).toContain(line);
  });
  test('gives the program the time it needs to drain', () => {
    expect(Number(/TimeoutStopSec=(\d+)/.exec(lines.join('\n'))?.[1])).toBeGreaterThan(10);
  });
  test('every line is a comment, a section or an assignment', () => {
    expect(
      lines.filter((line) => !/^(?:#.*|\[(?:Unit|Service|Install)\]|[A-Z][A-Za-z]+=.*|)$/.test(line)),
    ).toEqual([]);
  });
});

describe('alerts and dashboard', () => {
  const { groups } = parse(read('deploy/prometheus/alerts.yaml'));
  const rules: readonly {
    readonly alert: string;
    readonly expr: string;
    readonly labels: Values;
    readonly annotations: Values;
  }[] = groups.flatMap(({ rules }: Values) => rules);
  const dashboard = JSON.parse(read('deploy/grafana/dashboard.json'));
  const expressions: readonly string[] = [
    ...rules.map(({ expr }) => expr),
    ...dashboard.panels.flatMap(({ targets }: { readonly targets: readonly { readonly expr: string }[] }) =>
      targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')),
    ),
  ];
  /** What Prometheus adds to everything it reads, and its own series. */
  const ADDED = ['job', 'instance', 'le'];

  test('every series and label they name is one that a running service serves', async () => {
    await check(service, ALLOWED);
    const series = seriesIn((await ask(`${service.metricsUrl}/metrics`)).text);
    const selectors = expressions.flatMap(selectorsOf);
    expect(selectors.length).toBeGreaterThan(30);
    for (const { metric, labels } of selectors) {
      if (metric === 'up') continue;
      const known = series.get(metric);
      expect(known, metric).toBeDefined();
      expect(
        labels.filter((label) => !known!.has(label) && !ADDED.includes(label)),
        metric,
      ).toEqual([]);
    }
    const variables: readonly { readonly query: string }[] = dashboard.templating.list;
    for (const { query } of variables) {
      const metric = /^label_values\((\w+)/.exec(query)?.[1];
      if (metric !== undefined) expect(series.has(metric), metric).toBe(true);
    }
  });
  test('every route they name is one', async () => {
    const { paths } = (await ask(`${service.url}/openapi.json`)).body;
    const patterns = expressions.flatMap((text) =>
      [...text.matchAll(/route=~"([^"]+)"/g)].map(([, pattern]) => pattern!),
    );
    const matched = Object.keys(paths).filter((path) =>
      patterns.some((pattern) => new RegExp(`^(?:${pattern})$`).test(path)),
    );
    expect(matched.sort()).toEqual(['/api/v1/check-write', '/v1/check-write', '/v1/check-write/batch']);
  });
  test('a slip in an expression would be seen', () => {
    expect(() => selectorsOf('sum(rate(writecheck_decisions_total[5m))')).toThrow('does not parse');
  });
  test('an alert says how urgent it is, what is the matter and what to do', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Writecheck[A-Z]\w+$/);
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary, alert).toBeTypeOf('string');
      expect(annotations.description, alert).toBeTypeOf('string');
    }
  });
  test('panels do not lie over one another', () => {
    const seen = new Set<string>();
    for (const { gridPos } of dashboard.panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(seen.has(`${x},${y}`)).toBe(false);
          seen.add(`${x},${y}`);
        }
      }
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    }
    expect(new Set(dashboard.panels.map(({ id }: { readonly id: number }) => id)).size).toBe(
      dashboard.panels.length,
    );
  });
});
