/** Alerts and dashboard use only series that a running service serves. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ALLOWED, ask, check } from '../packages/service/test/ask.ts';
import { startTestService, type TestService } from '../packages/service/test/start-service.ts';
import { aggregationsOf, selectorsOf, seriesIn } from './promql.ts';
import type { Values } from './render-chart.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const hasPromtool = spawnSync('promtool', ['--version'], { stdio: 'ignore' }).status === 0;
if (!hasPromtool) console.warn('NOT RUN: the tests of the alert rules need `apt-get install prometheus`');

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ settings: { metricsPort: '0' } });
});
afterAll(() => service.stop());

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
  /** Labels and series that Prometheus adds. */
  const ADDED = ['namespace', 'job', 'instance', 'le'];
  /** Metrics of kube-state-metrics and of the node exporter, as their documentation lists them. */
  const OTHERS = new Map([
    ['up', []],
    ['kube_job_status_failed', ['job_name']],
    ['kube_cronjob_created', ['cronjob']],
    ['kube_cronjob_status_last_successful_time', ['cronjob']],
    ['node_systemd_unit_state', ['name', 'state']],
    ['node_systemd_timer_last_trigger_seconds', ['name']],
  ]);

  test('a running service serves every series and label they use', async () => {
    await check(service, ALLOWED);
    const series = seriesIn((await ask(`${service.metricsUrl}/metrics`)).text);
    const selectors = expressions.flatMap(selectorsOf);
    expect(selectors.length).toBeGreaterThan(30);
    for (const { metric, labels } of selectors) {
      const known = OTHERS.has(metric) ? new Set<string>(OTHERS.get(metric)) : series.get(metric);
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
  test('every route they name exists', async () => {
    const { paths } = (await ask(`${service.url}/openapi.json`)).body;
    const patterns = expressions.flatMap((text) =>
      [...text.matchAll(/route=~"([^"]+)"/g)].map(([, pattern]) => pattern!),
    );
    const matched = Object.keys(paths).filter((path) =>
      patterns.some((pattern) => new RegExp(`^(?:${pattern})$`).test(path)),
    );
    expect(matched.sort()).toEqual(['/api/v1/check-write', '/v1/check-write', '/v1/check-write/batch']);
  });
  test('each of two deployments has its own alerts: every aggregation is by namespace and job', () => {
    const together = rules.flatMap(({ alert, expr }) =>
      aggregationsOf(expr).map((by) => [alert, by.includes('namespace') && by.includes('job')] as const),
    );
    expect(together.length).toBeGreaterThan(20);
    expect(together.filter(([, isSplit]) => !isSplit)).toEqual([]);
    // A typical one that is blind.
    expect(aggregationsOf('max(writecheck_ready) == 0')).toEqual([[]]);
    expect(aggregationsOf('sum without (job) (up) or sum by (job) (up)')).toEqual([[], ['job']]);
  });
  test('a missing deployment is noticed while another deployment runs', () => {
    const down = rules.find(({ alert }) => alert === 'WritecheckDown')!.expr;
    expect(down).toContain('offset 1h');
    expect(down).toContain('unless group by (namespace, job) (up{job="writecheck"})');
  });
  test('a typo in an expression is detected', () => {
    expect(() => selectorsOf('sum(rate(writecheck_decisions_total[5m))')).toThrow('does not parse');
  });
  test('an alert has a severity, a summary and a description', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Writecheck[A-Z]\w+$/);
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary, alert).toBeTypeOf('string');
      expect(annotations.description, alert).toBeTypeOf('string');
    }
  });
  test('every alert has a runbook page that says where to look and what to do, and every page has an alert', () => {
    const folder = 'https://github.com/writecheck/writecheck/blob/main/docs/runbooks/';
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook_url).toBe(`${folder}${alert}.md`);
      const page = read(`docs/runbooks/${alert}.md`);
      expect(page.startsWith(`# ${alert}\n`), alert).toBe(true);
      for (const part of ['## Look here\n\n- ', '## Do this\n\n- ']) expect(page, alert).toContain(part);
    }
    const pages = readdirSync(join(ROOT, 'docs/runbooks')).filter((name) => name !== 'README.md');
    const names = rules.map(({ alert }) => `${alert}.md`);
    expect(pages.sort()).toEqual([...names].sort());
    const [paging = '', tickets = ''] = read('docs/runbooks/README.md').split('## Alerts that can wait');
    for (const { alert, labels } of rules)
      expect(labels.severity === 'page' ? paging : tickets, alert).toContain(`(${alert}.md)`);
  });
  test('every series that a runbook names is served', async () => {
    await check(service, ALLOWED);
    const series = seriesIn((await ask(`${service.metricsUrl}/metrics`)).text);
    for (const name of readdirSync(join(ROOT, 'docs/runbooks'))) {
      for (const [, metric] of read(`docs/runbooks/${name}`).matchAll(/\b((?:writecheck|nodejs)_\w+)/g))
        expect(series.has(metric!) || series.has(`${metric}_count`), `${metric} in ${name}`).toBe(true);
    }
  });
  test('a job in the chart and a timer each have an alert on their age and their failure', () => {
    const timers = readdirSync(join(ROOT, 'deploy/systemd')).filter((name) => name.endsWith('.timer'));
    expect(timers.length).toBeGreaterThan(3);
    const jobs = readdirSync(join(ROOT, 'deploy/helm/writecheck/templates')).flatMap(
      (name) => /^cron-(\w+)\.yaml$/.exec(name)?.[1] ?? [],
    );
    expect(timers.map((name) => /^writecheck-(\w+)\.timer$/.exec(name)?.[1]).sort()).toEqual(jobs.sort());
    const exprOf = (wanted: string) => rules.find(({ alert }) => alert === wanted)!.expr;
    for (const job of jobs) {
      const age = exprOf(`Writecheck${job[0]!.toUpperCase()}${job.slice(1)}Old`);
      for (const named of [`{cronjob=~".*writecheck-${job}"}`, `{name="writecheck-${job}.timer"}`])
        expect(age).toContain(named);
      expect(exprOf('WritecheckJobFailed')).toMatch(new RegExp(`[(|]${job}[)|]`));
    }
  });
  test.skipIf(!hasPromtool).each(['alerts.test.yaml', 'alerts-age.test.yaml'])(
    'the alerts fire for the deployment they are about, and for no other: %s',
    { tags: ['nightly'], timeout: 120_000 },
    (file) => {
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], {
        cwd: join(ROOT, 'deploy/prometheus'),
        encoding: 'utf8',
      });
      expect(status, `${stdout}${stderr}`).toBe(0);
    },
  );
  test('panels say what they show, each in its own words', () => {
    const texts = dashboard.panels.flatMap(
      ({ description }: { readonly description?: string }) => description ?? [],
    );
    expect(new Set(texts).size).toBe(texts.length);
  });
  test('panels do not overlap', () => {
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
