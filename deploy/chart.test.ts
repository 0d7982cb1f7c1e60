/** The rendered chart is valid by the Kubernetes schemas, secure, and consistent with the service. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate as isDeployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as isService } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { validate as isNetworkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy';
import { validate as isDisruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { IService } from 'kubernetes-models/v1/Service';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../packages/service/src/config/load-config.ts';
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
  test('has the version of the service', () => {
    expect(parse(read('deploy/helm/writecheck/Chart.yaml')).appVersion).toBe(
      JSON.parse(read('packages/service/package.json')).version,
    );
  });
  test('the test renderer fails on constructs it does not know', () => {
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
