/** The rendered chart is valid by the Kubernetes schemas, secure, and consistent with the service. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '@writecheck/service/support/config/load-config';
import { Ajv } from 'ajv';
import { validate as isDeployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as isAutoscaler } from 'kubernetes-models/_schemas/IoK8sApiAutoscalingV2HorizontalPodAutoscaler';
import { validate as isCronJob } from 'kubernetes-models/_schemas/IoK8sApiBatchV1CronJob';
import { validate as isJob } from 'kubernetes-models/_schemas/IoK8sApiBatchV1Job';
import { validate as isVolumeClaim } from 'kubernetes-models/_schemas/IoK8sApiCoreV1PersistentVolumeClaim';
import { validate as isService } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { validate as isServiceAccount } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ServiceAccount';
import { validate as isIngress } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1Ingress';
import { validate as isNetworkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy';
import { validate as isDisruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { ICronJob } from 'kubernetes-models/batch/v1/CronJob';
import type { IJob } from 'kubernetes-models/batch/v1/Job';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { IService } from 'kubernetes-models/v1/Service';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { program } from '../packages/cli/src/program.ts';
import { faultsOf } from './kubernetes-faults.ts';
import { renderChart, renderTemplate, type Values } from './render-chart.ts';

const ROOT = join(import.meta.dirname, '..');
const CHART = join(ROOT, 'deploy/helm/writecheck');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('the chart', () => {
  const values: Values = parse(read('deploy/helm/writecheck/values.yaml'));
  const other = structuredClone(values) as { [name: string]: { [name: string]: unknown } };
  Object.assign(other.settings!, { trustProxy: '10.0.0.0/8', publicUrl: 'https://checks.example.com' });
  Object.assign(other.image!, { digest: `sha256:${'0'.repeat(64)}` });
  Object.assign(other.networkPolicy!, { callers: [{ podSelector: { matchLabels: { role: 'agent' } } }] });
  Object.assign(other.networkPolicy!, { otlpPort: 4318, httpsPort: 443 });
  const extra = {
    extraEnv: [{ name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://collector:4318' }],
    extraVolumes: [{ name: 'policies', configMap: { name: 'policies' } }],
    extraVolumeMounts: [{ name: 'policies', mountPath: '/policies', readOnly: true }],
  };
  Object.assign(other, extra);
  for (const part of [
    'autoscaling',
    'ingress',
    'monitoring',
    'verify',
    'backup',
    'archive',
    'prune',
    'witness',
  ])
    Object.assign(other[part]!, { enabled: true });
  Object.assign(other.ingress!, { className: 'nginx', host: 'checks.example.com', tlsSecret: 'checks-tls' });
  Object.assign(other.monitoring!, { labels: { release: 'prometheus' } });
  Object.assign(other.verify!, { secret: 'writecheck-owner', verifierKey: 'writecheck+0+AQ' });
  Object.assign(other.prune!, { keepDays: 400 });
  Object.assign(other.backup!, { claim: 'dumps' });
  Object.assign(other.archive!, { keepDays: 90 });
  Object.assign(other.networkPolicy!, { database: [{ ipBlock: { cidr: '10.1.2.3/32' } }] });
  Object.assign(other.witness!, {
    url: 'https://checks.example.com',
    storageClass: 'slow',
    verifierKey: 'k',
  });
  Object.assign(other, { priorityClassName: 'high', imagePullSecrets: [{ name: 'registry' }] });
  const of = (rendered: Map<string, Values>) => ({
    deployment: rendered.get('deployment.yaml') as unknown as IDeployment,
    service: rendered.get('service.yaml') as unknown as IService,
    budget: rendered.get('disruption-budget.yaml') as unknown as IPodDisruptionBudget,
    network: rendered.get('network-policy.yaml') as unknown as INetworkPolicy,
  });
  const { deployment, service: front, budget, network } = of(renderChart(CHART, values));
  const pod = deployment.spec!.template.spec!;
  const container = pod.containers[0]!;

  test.each([
    ['as it comes', values],
    ['with everything set', other],
  ])('%s is valid by the schemas of Kubernetes', (_, chosen) => {
    const all = of(renderChart(CHART, chosen));
    expect(faultsOf(all.deployment, isDeployment)).toEqual([]);
    expect(faultsOf(all.service, isService)).toEqual([]);
    expect(faultsOf(all.budget, isDisruptionBudget)).toEqual([]);
    expect(faultsOf(all.network, isNetworkPolicy)).toEqual([]);
    expect(faultsOf(renderChart(CHART, chosen).get('job-migrate.yaml')!, isJob)).toEqual([]);
  });
  const full = renderChart(CHART, other);
  const named = <T>(file: string) => full.get(file) as unknown as T;

  test.each([
    ['ingress.yaml', isIngress],
    ['autoscaler.yaml', isAutoscaler],
    ['metrics-service.yaml', isService],
    ['cron-verify.yaml', isCronJob],
    ['cron-prune.yaml', isCronJob],
    ['cron-backup.yaml', isCronJob],
    ['cron-archive.yaml', isCronJob],
    ['witness.yaml', isDeployment],
    ['witness-volume.yaml', isVolumeClaim],
  ])('%s comes only if asked, and is valid by the schemas of Kubernetes', (file, isValid) => {
    expect(renderChart(CHART, values).has(file)).toBe(false);
    expect(faultsOf(named<object>(file), isValid)).toEqual([]);
  });
  test('every kind of object it can make is checked here', () => {
    const custom = ['service-monitor.yaml', 'prometheus-rule.yaml'];
    const always = [
      ...['deployment.yaml', 'service.yaml', 'disruption-budget.yaml', 'network-policy.yaml'],
      ...['network-policy-jobs.yaml', 'service-account.yaml', 'job-migrate.yaml'],
    ];
    expect([...full.keys()].sort()).toEqual(
      [
        ...always,
        ...custom,
        'ingress.yaml',
        'autoscaler.yaml',
        'metrics-service.yaml',
        'cron-verify.yaml',
        'cron-prune.yaml',
        'cron-backup.yaml',
        'cron-archive.yaml',
        'witness.yaml',
        'witness-volume.yaml',
      ].sort(),
    );
  });
  test('Prometheus scrapes every replica under the job name that the alerts expect, with every alert', () => {
    const scraped = named<IService>('metrics-service.yaml');
    expect(full.get('service-monitor.yaml')).toMatchObject({
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'ServiceMonitor',
      metadata: { labels: { release: 'prometheus' } },
      spec: {
        jobLabel: 'app.kubernetes.io/name',
        selector: { matchLabels: expect.anything() },
        endpoints: [{ port: scraped.spec!.ports![0]!.name, path: '/metrics', interval: '30s' }],
      },
    });
    const { selector } = named<{ spec: { selector: { matchLabels: object } } }>('service-monitor.yaml').spec;
    expect(scraped.metadata!.labels).toMatchObject(selector.matchLabels);
    // The other service must not be scraped too.
    expect(front.metadata!.labels).not.toMatchObject(selector.matchLabels);
    expect(scraped.metadata!.labels!['app.kubernetes.io/name']).toBe('writecheck');
    expect(scraped.spec!.publishNotReadyAddresses).toBe(true);
    expect(full.get('prometheus-rule.yaml')).toMatchObject({
      kind: 'PrometheusRule',
      metadata: { labels: { release: 'prometheus' } },
      spec: parse(read('deploy/prometheus/alerts.yaml')),
    });
  });
  test('a job migrates the database before new pods start, as the owner of the schema if there is one', () => {
    const migrationOf = (migrate: object) => {
      const job = renderChart(CHART, { ...values, migrate: { ...(values.migrate as object), ...migrate } });
      return job.get('job-migrate.yaml') as unknown as IJob | undefined;
    };
    const { metadata, spec } = migrationOf({})!;
    expect(metadata!.annotations!['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    const secretOf = (job: IJob) => job.spec!.template.spec!.containers[0]!.env![0]!.valueFrom!.secretKeyRef;
    expect(spec!.template.spec!.containers[0]!.args).toEqual(['migrate', '--lock-timeout', '30']);
    expect(secretOf({ spec } as IJob)).toEqual({ name: 'writecheck-database', key: 'url' });
    expect(secretOf(migrationOf({ secret: 'owner' })!)).toEqual({ name: 'owner', key: 'url' });
    expect(migrationOf({ enabled: false })).toBeUndefined();
    const { options } = program().commands.find((each) => each.name() === 'migrate')!;
    expect(options.map(({ long }) => long)).toContain('--lock-timeout');
  });
  test('an autoscaler sets the number of replicas alone', () => {
    expect(named<IDeployment>('deployment.yaml').spec!.replicas).toBeUndefined();
    expect(deployment.spec!.replicas).toBe(2);
  });
  test('a changed secret restarts the pods', () => {
    const checksum = (chosen: Values) =>
      of(renderChart(CHART, chosen)).deployment.spec!.template.metadata!.annotations!['checksum/secrets'];
    expect(checksum(values)).toMatch(/^[0-9a-f]{64}$/);
    expect(checksum({ ...values, secretsChecksum: 'rotated' })).toBe('rotated');
  });
  test('jobs and witness are as restricted as the service, and are not behind its address', () => {
    const pods = [
      named<ICronJob>('cron-verify.yaml').spec!.jobTemplate.spec!.template,
      named<ICronJob>('cron-prune.yaml').spec!.jobTemplate.spec!.template,
      named<ICronJob>('cron-backup.yaml').spec!.jobTemplate.spec!.template,
      named<ICronJob>('cron-archive.yaml').spec!.jobTemplate.spec!.template,
      named<IDeployment>('witness.yaml').spec!.template,
      named<IJob>('job-migrate.yaml').spec!.template,
    ];
    for (const { metadata, spec } of pods) {
      expect(spec!.securityContext).toEqual(pod.securityContext);
      expect(spec!.containers[0]!.securityContext).toEqual(container.securityContext);
      expect(spec!.enableServiceLinks).toBe(false);
      // The migration runs before the first install has made the account.
      const isFirst = metadata!.labels!['app.kubernetes.io/name'] === 'writecheck-migrate';
      expect(spec!.serviceAccountName).toBe(isFirst ? undefined : pod.serviceAccountName);
      expect(spec!.automountServiceAccountToken).toBe(false);
      // A policy of their own covers every one of them, and lets nobody in.
      const own = named<INetworkPolicy>('network-policy-jobs.yaml');
      expect(metadata!.labels).toMatchObject(own.spec!.podSelector!.matchLabels!);
      expect(own.spec!.ingress).toEqual([]);
      expect(metadata!.labels).not.toMatchObject(front.spec!.selector!);
      const callers = network.spec!.ingress!.flatMap(({ from }) => from ?? []);
      expect(
        callers.some(({ podSelector }) => {
          const wanted = podSelector?.matchLabels ?? { none: '' };
          return Object.entries(wanted).every(([name, value]) => metadata!.labels![name] === value);
        }),
      ).toBe(true);
    }
  });
  test('jobs and witness run commands that exist, with options that exist', () => {
    const scripts = ['cron-verify.yaml', 'cron-prune.yaml', 'cron-archive.yaml'].flatMap((file) =>
      named<ICronJob>(file)
        .spec!.jobTemplate.spec!.template.spec!.containers[0]!.args!.join('\n')
        .split('\n'),
    );
    const witness = named<IDeployment>('witness.yaml').spec!.template.spec!.containers[0]!.args!;
    const lines = [
      ...scripts.filter((line) => line.includes('writecheck ')),
      `writecheck ${witness.join(' ')}`,
    ];
    expect(lines.length).toBe(7);
    for (const line of lines) {
      const [, first, second] = /writecheck (\w+) (\w+)/.exec(line)!;
      const command = program()
        .commands.find((each) => each.name() === first)!
        .commands.find((each) => each.name() === second)!;
      const options = [...line.matchAll(/ (--[a-z-]+)/g)].map(([, option]) => option);
      for (const option of options)
        expect(
          command.options.map(({ long }) => long),
          line,
        ).toContain(option);
    }
  });
  test('jobs on the store have the environment of the service: an archive and its credentials', () => {
    for (const file of ['cron-prune.yaml', 'cron-archive.yaml']) {
      const { env } = named<ICronJob>(file).spec!.jobTemplate.spec!.template.spec!.containers[0]!;
      expect(env, file).toEqual(expect.arrayContaining(extra.extraEnv));
    }
  });
  test('the account has no token, and both policies reach the database only where it is', () => {
    const account = named<{ metadata: { name: string }; automountServiceAccountToken: boolean }>(
      'service-account.yaml',
    );
    expect(faultsOf(account, isServiceAccount)).toEqual([]);
    expect(account.metadata.name).toBe(pod.serviceAccountName);
    expect(account.automountServiceAccountToken).toBe(false);
    for (const file of ['network-policy.yaml', 'network-policy-jobs.yaml']) {
      expect(faultsOf(named<INetworkPolicy>(file), isNetworkPolicy)).toEqual([]);
      expect(named<INetworkPolicy>(file).spec!.egress![0]).toEqual({
        to: [{ ipBlock: { cidr: '10.1.2.3/32' } }],
        ports: [{ port: 5432 }],
      });
    }
  });
  test('the alerts on jobs know each job by its name, whatever the release is called', () => {
    const alerts = read('deploy/prometheus/alerts.yaml');
    const patterns = [...alerts.matchAll(/(job_name|cronjob)=~"([^"]+)"/g)].map(
      ([, label, pattern]) => [label, new RegExp(`^(?:${pattern})$`)] as const,
    );
    const matching = (label: string, name: string) =>
      patterns.filter(([each, pattern]) => each === label && pattern.test(name)).length;
    const crons = [...full.entries()].filter(([, { kind }]) => kind === 'CronJob');
    expect(crons.length).toBe(4);
    for (const [file, { metadata }] of crons) {
      const { name } = metadata as { readonly name: string };
      // Kubernetes adds a number to the name of each run.
      expect(matching('job_name', `${name}-29700000`), file).toBe(1);
      if (/backup|archive/.test(file)) expect(matching('cronjob', name), file).toBe(2);
    }
    expect(matching('job_name', named<IJob>('job-migrate.yaml').metadata!.name!)).toBe(1);
    expect(matching('job_name', 'postgres-backup-29700000')).toBe(0);
  });
  test('a dump counts only once it is whole, and the newest stay', () => {
    const [script] =
      named<ICronJob>('cron-backup.yaml').spec!.jobTemplate.spec!.template.spec!.containers[0]!.args!;
    expect(script!.indexOf('pg_dump')).toBeLessThan(script!.indexOf('mv "$file.part" "$file"'));
    expect(script).toContain('tail -n "+$((KEEP + 1))"');
    const careless = { ...other, backup: { ...other.backup, claim: '' } };
    expect(() => renderChart(CHART, careless)).toThrow('name the volume claim');
  });
  test('what was verified is kept in a volume, if one is named', () => {
    const trusted = (chosen: Values) =>
      (
        renderChart(CHART, chosen).get('cron-verify.yaml') as unknown as ICronJob
      ).spec!.jobTemplate.spec!.template.spec!.volumes!.find(({ name }) => name === 'trusted');
    expect(trusted(other)).toMatchObject({ emptyDir: {} });
    const kept = { ...other, verify: { ...other.verify, claim: 'verified' } };
    expect(trusted(kept)).toEqual({ name: 'trusted', persistentVolumeClaim: { claimName: 'verified' } });
  });
  test('prunes nothing unless somebody says how much to keep', () => {
    const careless = { ...other, prune: { ...other.prune, keepDays: '' } };
    expect(() => renderChart(CHART, careless)).toThrow('say how many days to keep');
  });
  test('the schema of values accepts these, and refuses a typo', () => {
    const isValid = new Ajv().compile(JSON.parse(read('deploy/helm/writecheck/values.schema.json')));
    for (const chosen of [values, other]) expect(isValid(chosen), JSON.stringify(isValid.errors)).toBe(true);
    for (const wrong of [
      { ...values, replica: 3 },
      { ...values, replicas: '3' },
      { ...values, prune: { ...other.prune, keepDays: 0 } },
      { ...values, settings: { ...other.settings, signup: 'close' } },
    ])
      expect(isValid(wrong)).toBe(false);
    const { properties } = JSON.parse(read('deploy/helm/writecheck/values.schema.json'));
    expect(
      Object.keys(properties)
        .filter((name) => name !== 'global')
        .sort(),
    ).toEqual(Object.keys(values).sort());
  });
  test('the Kubernetes schemas reject a typo', () => {
    const slip = structuredClone(deployment);
    const first = slip.spec!.template.spec!.containers[0]!;
    Object.assign(first, { readynessProbe: {}, ports: [{ containerPort: '8080x' }] });
    expect(faultsOf(slip, isDeployment)).toEqual([
      '/spec/template/spec/containers/0/ports/0/containerPort is wrong',
      '/spec/template/spec/containers/0/readynessProbe is unknown',
    ]);
  });
  test('runs as non-root, on a read-only file system, without capabilities or a token', () => {
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
  test('restarts only a dead process, and stops traffic to one that cannot decide', () => {
    expect(container.livenessProbe?.httpGet).toEqual({ path: '/healthz', port: 'http' });
    expect(container.startupProbe?.httpGet).toEqual({ path: '/healthz', port: 'http' });
    expect(container.readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'http' });
    const grace = pod.terminationGracePeriodSeconds! - container.lifecycle!.preStop!.sleep!.seconds;
    expect(grace).toBeGreaterThan(10);
  });
  test('sets valid settings; the URL and the key come from secrets', () => {
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
  test('takes more environment, volumes and mounts beside its own', () => {
    const rendered = of(renderChart(CHART, other)).deployment.spec!.template.spec!;
    const { env, volumeMounts } = rendered.containers[0]!;
    expect(env!.slice(-1)).toEqual(extra.extraEnv);
    // Beside the proxy and the public URL, which are set there too.
    expect(env!.length).toBe(container.env!.length + 3);
    expect(rendered.priorityClassName).toBe('high');
    expect(rendered.imagePullSecrets).toEqual([{ name: 'registry' }]);
    expect(rendered.volumes).toEqual([...pod.volumes!, ...extra.extraVolumes]);
    expect(volumeMounts).toEqual([...container.volumeMounts!, ...extra.extraVolumeMounts]);
  });
  test('lets traces, webhooks and single sign-on out only if asked', () => {
    const ports = ({ spec }: INetworkPolicy) =>
      spec!.egress!.flatMap((rule) => rule.ports!.map(({ port }) => port));
    expect(ports(network)).toEqual([5432, 53, 53]);
    expect(ports(of(renderChart(CHART, other)).network)).toEqual([5432, 4318, 443, 53, 53]);
  });
  test('one replica stays when nodes drain, and a new one is ready before an old one stops', () => {
    expect(Number(budget.spec!.maxUnavailable)).toBeLessThan(deployment.spec!.replicas!);
    expect(deployment.spec!.strategy?.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
  });
  test('every selector matches the pods and every port exists', () => {
    const labels = deployment.spec!.template.metadata!.labels!;
    for (const selector of [
      deployment.spec!.selector.matchLabels!,
      front.spec!.selector!,
      budget.spec!.selector!.matchLabels!,
      network.spec!.podSelector!.matchLabels!,
    ]) {
      expect(Object.keys(selector).length).toBe(2);
      expect(labels).toMatchObject(selector);
    }
    const ports = new Set(container.ports!.map(({ name }) => name));
    expect(ports.has(String(front.spec!.ports![0]!.targetPort))).toBe(true);
    for (const { ports: open } of network.spec!.ingress!)
      expect(ports.has(String(open![0]!.port))).toBe(true);
  });
  test('every value is used, and every used value exists', () => {
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
  test('fails to render without its secrets', () => {
    const lacking = { ...values, database: { secret: '', key: 'url' } };
    expect(() => renderChart(CHART, lacking)).toThrow('name the secret with the URL of the database');
  });
  test('refuses a release name with which a job would have a longer name than Kubernetes allows', () => {
    const CRON_JOB_NAME_MAX = 52;
    const longest = 'a'.repeat(33);
    const names = [...renderChart(CHART, other, longest).values()]
      .filter(({ kind }) => kind === 'CronJob' || kind === 'Job')
      .map(({ metadata }) => (metadata as Values).name as string);
    expect(names).toHaveLength(5);
    expect(Math.max(...names.map((name) => name.length))).toBe(CRON_JOB_NAME_MAX);
    expect(() => renderChart(CHART, values, `${longest}a`)).toThrow(
      `the release name ${longest}a has more than 33 characters`,
    );
  });
  test('has the version of the service', () => {
    expect(parse(read('deploy/helm/writecheck/Chart.yaml')).appVersion).toBe(
      JSON.parse(read('packages/service/package.json')).version,
    );
  });
  test('the test renderer fails on constructs it does not know', () => {
    const scope = {
      Values: {},
      Chart: { AppVersion: '1' },
      Release: { Name: 'r', Namespace: 'n', Service: 'Helm' },
      Files: { Get: () => '' },
    };
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
