/** Several threads that answer on one port: starts them, replaces one that dies, and stops them all together. */
import { Worker } from 'node:worker_threads';
import type { ForkAlarm } from '../../audit/fork-alarm.ts';
import type { Flags } from '../../config/load-config.ts';
import { isCountedMessage } from '../../http/share-limits.ts';
import type { Log } from '../../observability/log.ts';
import type { GatheredMetrics } from '../../observability/metrics.ts';
import type { Store } from '../../store/port.ts';
import { CommandFailure } from '../fail.ts';
import type { FromThread, ThreadOrder, ToThread } from './thread-messages.ts';

const REPLACE_AFTER_MS = 500;
/** Replacing threads that die this soon after one another does not help. */
const DEATHS_MAX = 5;
const DEATHS_WITHIN_MS = 30_000;
const METRICS_WITHIN_MS = 5_000;
/** Three times the space for new objects: more makes a thread larger, and hardly faster. */
const YOUNG_MB = 24;
const IN_SOURCE = import.meta.url.endsWith('.ts');

export interface Threads {
  /** Those that run now, by their number. */
  readonly running: ReadonlyMap<number, Worker>;
  gatherMetrics(): Promise<readonly GatheredMetrics[]>;
  /** Each takes no new connections, sends every response in flight, and ends. */
  stop(): Promise<void>;
}

export interface ThreadParts {
  /** With a port that can be shared, which is not 0. */
  readonly flags: Flags;
  readonly count: number;
  readonly store: Store;
  readonly alarm: ForkAlarm;
  readonly log: Log;
  /** Called once if threads keep dying. */
  readonly gaveUp: () => void;
}

/** Rejects with `CommandFailure` if one of them does not start; then none is left. */
export async function startThreads({
  flags,
  count,
  store,
  alarm,
  log,
  gaveUp,
}: ThreadParts): Promise<Threads> {
  const running = new Map<number, Worker>();
  const deaths: number[] = [];
  let isStopping = false;
  let nextGathering = 1;

  const tellOthers = (from: number, message: ToThread): void => {
    for (const [worker, thread] of running) if (worker !== from) thread.postMessage(message);
  };

  const start = (worker: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const order: ThreadOrder = { worker, flags, shared: store.sharing?.place ?? null, alarm: alarm.shared };
      const thread = new Worker(new URL(`./deciding-thread${IN_SOURCE ? '.ts' : '.js'}`, import.meta.url), {
        name: `worker-${worker}`,
        workerData: order,
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
        ...(IN_SOURCE ? { execArgv: ['--conditions=writecheck-source'] } : {}),
      });
      running.set(worker, thread);
      let isListening = false;
      thread.on('message', (message: FromThread) => {
        if (isCountedMessage(message)) tellOthers(worker, message);
        if (message.kind === 'connect') store.sharing?.attach(message.to, message.port);
        if (message.kind === 'not-started') reject(new CommandFailure(message.message));
        if (message.kind === 'listening') {
          isListening = true;
          resolve();
        }
      });
      thread.on('error', (error) => log.error({ worker, error: String(error) }, 'a worker thread failed'));
      thread.on('exit', (code) => {
        running.delete(worker);
        reject(new CommandFailure('a worker thread did not start'));
        if (!isStopping && isListening) died(worker, code);
      });
    });

  function died(worker: number, code: number): void {
    const nowMs = performance.now();
    while (deaths.length > 0 && nowMs - deaths[0]! > DEATHS_WITHIN_MS) deaths.shift();
    deaths.push(nowMs);
    log.error({ worker, code }, 'a worker thread died');
    if (deaths.length >= DEATHS_MAX) {
      log.error({}, 'worker threads keep dying; giving up');
      gaveUp();
      return;
    }
    replace(worker);
  }

  function replace(worker: number): void {
    setTimeout(() => {
      if (isStopping) return;
      start(worker).catch((error) => {
        log.error({ worker, error: String(error) }, 'a worker thread was not replaced');
        if (!isStopping) died(worker, 1);
      });
    }, REPLACE_AFTER_MS);
  }

  async function stop(): Promise<void> {
    isStopping = true;
    await Promise.all(
      [...running.values()].map((thread) => {
        const gone = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
        thread.postMessage({ kind: 'stop' } satisfies ToThread);
        return gone;
      }),
    );
  }

  /** INVARIANT: all of them or none, because a counter that falls for a moment looks like a restart. */
  async function gatherMetrics(): Promise<readonly GatheredMetrics[]> {
    const id = nextGathering++;
    return Promise.all([...running.values()].map((thread) => metricsOf(thread, id)));
  }

  try {
    // The first one alone, so that what keeps all of them from starting is reported once.
    await start(1);
    await Promise.all(Array.from({ length: count - 1 }, (_, i) => start(i + 2)));
  } catch (error) {
    isStopping = true;
    await Promise.all([...running.values()].map((thread) => thread.terminate()));
    throw error;
  }
  return { running, gatherMetrics, stop };
}

function metricsOf(thread: Worker, id: number): Promise<GatheredMetrics> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(late);
      thread.off('message', hear);
      thread.off('exit', gone);
      finish();
    };
    const hear = (message: FromThread): void => {
      if (message.kind === 'metrics' && message.id === id) settle(() => resolve(message.metrics));
    };
    // What it counted is lost with it.
    const gone = (): void => settle(() => resolve([]));
    const late = setTimeout(
      () => settle(() => reject(new Error('a worker thread did not give its metrics in time'))),
      METRICS_WITHIN_MS,
    );
    thread.on('message', hear);
    thread.on('exit', gone);
    thread.postMessage({ kind: 'gather-metrics', id } satisfies ToThread);
  });
}
