/** Fills a store with many decisions, and measures the page's longest task while browsing them. */

import { newRequest } from '../../service/test/store-contract/store-contract-values.ts';
import type { Page, TestService } from './harness.ts';

const AT_ONCE = 2_000;
const SPREAD_MS = 6 * 86_400_000;
const SYSTEMS = ['crm', 'erp', 'hr', 'billing'];
const OUTCOMES = [
  ...Array.from({ length: 17 }, () => ({ decision: 'allow', reasonCode: 'requirements_met' }) as const),
  { decision: 'pause', reasonCode: 'CONTROL_EVIDENCE_MISSING' },
  { decision: 'pause', reasonCode: 'authority_mismatch' },
  { decision: 'block', reasonCode: 'CONTROL_FAILED' },
] as const;

/** Writes straight to the store, many in one commit; over HTTP it would take minutes. */
export async function fillStore({ store, workspace }: TestService, count: number): Promise<void> {
  const startMs = Date.now() - SPREAD_MS;
  for (let from = 0; from < count; from += AT_ONCE) {
    const requests = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => {
      const at = from + i;
      return newRequest(workspace, {
        atMs: startMs + Math.floor((at * SPREAD_MS) / count),
        ...OUTCOMES[at % OUTCOMES.length]!,
        system: SYSTEMS[at % SYSTEMS.length]!,
        objectRef: `C-${at % 5_000}`,
        workflowId: `workflow-${at % 20}`,
        runId: `run-${Math.floor(at / 100)}`,
      });
    });
    await store.commit(requests);
  }
  // The search index lags behind commits; wait for it here, before the measurement.
  await store.listDecisions({ workspace, limit: 1 });
}

/** Tasks of the page's thread while scrolling, paging and filtering. */
export interface Held {
  /** CPU time of the longest task in ms, so that other load on the machine does not count. */
  readonly longestMs: number;
  /** Long tasks as the browser reports them, in wall-clock time. */
  readonly onTheWallMs: readonly number[];
}

export async function lookThrough(page: Page): Promise<Held> {
  await page.locator('table.decisions tbody tr').nth(39).waitFor();
  await page.evaluate(() => {
    const found: number[] = [];
    Object.assign(window, { found });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) found.push(Math.round(duration));
    }).observe({ type: 'longtask' });
  });
  const stopTracing = await startTracing(page);
  await look(page);
  const longestMs = await stopTracing();
  const onTheWallMs = await page.evaluate(
    () => (window as unknown as { readonly found: readonly number[] }).found,
  );
  return { longestMs, onTheWallMs };
}

async function look(page: Page): Promise<void> {
  const settled = () => page.locator('table.decisions[aria-busy="false"]').waitFor();
  for (let pages = 0; pages < 5; pages += 1) {
    for (let turns = 0; turns < 4; turns += 1) await page.mouse.wheel(0, 600);
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByText(`Page ${pages + 2}`).waitFor();
    await settled();
  }
  await page.getByLabel('Reason').selectOption('CONTROL_FAILED');
  await settled();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByLabel('Search').pressSequentially('object:C-123', { delay: 20 });
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: /C-123/ }).first().waitFor();
  await settled();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByLabel('Search').pressSequentially('c-12', { delay: 20 });
  await page.getByRole('button', { name: 'Search further back' }).waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await settled();
  for (const time of ['24h', '30d']) {
    await page.getByRole('combobox', { name: 'Time' }).selectOption(time);
    await settled();
  }
  // Long enough for the list to reload on its own.
  await page.waitForTimeout(2_500);
  await page.getByRole('link', { name: 'Paused', exact: true }).click();
  await page.getByRole('heading', { name: 'Paused writes' }).waitFor();
  await settled();
  await page.getByRole('button', { name: 'Newer' }).click();
  await page.getByText('Page 2').waitFor();
  await settled();
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Returns a function that stops tracing and resolves with the page's longest task. */
async function startTracing(page: Page): Promise<() => Promise<number>> {
  const tracing = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  tracing.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await tracing.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel'] },
  });
  return async () => {
    const isOver = new Promise<void>((resolve) => tracing.once('Tracing.tracingComplete', () => resolve()));
    await tracing.send('Tracing.end');
    await isOver;
    const pages = new Set(
      events
        .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
        .map(({ pid, tid }) => `${pid} ${tid}`),
    );
    const tasks = events.filter(
      ({ name, pid, tid, tdur }) =>
        name.endsWith('RunTask') && tdur !== undefined && pages.has(`${pid} ${tid}`),
    );
    if (tasks.length === 0) throw new Error('the trace has no task of the page');
    return Math.round(Math.max(...tasks.map(({ tdur }) => tdur!)) / 100) / 10;
  };
}
