/** Measures the tasks of a page's thread, in the CPU time that they used, so that other load does not count. */
import type { Page } from './harness.ts';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Returns a function that stops the measurement and resolves with the longest task in milliseconds. */
export async function watchTasks(page: Page): Promise<() => Promise<number>> {
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
    await tracing.detach();
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
