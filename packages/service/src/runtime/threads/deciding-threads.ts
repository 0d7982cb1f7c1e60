/** Several threads that answer on one port: starts them, replaces one that dies, and stops them all together. */
import { Worker } from 'node:worker_threads';
import { CommandFailure } from '@writecheck/contract/command';
import type { ForkAlarm } from '@writecheck/store/append-guard';
import type { Store } from '@writecheck/store/port';
import { recentMemory } from '../../check/recent-allows.ts';
import { limitMemories } from '../../edge/request-limits.ts';
import type { Flags } from '../../support/config/load-config.ts';
import type { Config } from '../../support/config/settings.ts';
import type { Log } from '../../support/observability/log.ts';
import type { GatheredMetrics } from '../../support/observability/metrics.ts';
import { Siblings } from '../../support/siblings.ts';
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
  setLogLevel(level: Config['logLevel']): void;
  /** Until then they listen, but respond to nobody. */
  open(): void;
  /** Each takes no new connections, sends every response in flight, and ends. */
  stop(): Promise<void>;
}

interface LoadingThread {
  readonly thread: Worker;
  /** Everything but its port is ready. */
  readonly prepared: Promise<void>;
  readonly listening: Promise<void>;
}

export interface ThreadParts {
  /** With a port that can be shared, which is not 0. */
  readonly flags: Flags;
  readonly count: number;
  /** It may still be opening: the threads load their code meanwhile. */
  readonly store: Store | Promise<Store>;
  readonly alarm: ForkAlarm;
  readonly log: Log;
  /** Called once if threads keep dying. */
  readonly gaveUp: () => void;
}

/** Rejects with `CommandFailure` if one of them does not start; then none is left. */
export async function startThreads({
  flags,
  count,
  store: opening,
  alarm,
  log,
  gaveUp,
}: ThreadParts): Promise<Threads> {
  const running = new Map<number, Worker>();
  const deaths: number[] = [];
  const shared = { alarm: alarm.shared, limits: limitMemories(), recentAllows: recentMemory() };
  const changes = new Siblings().shared;
  let sharing: Store['sharing'];
  let isStopping = false;
  let nextGathering = 1;
  let flagsNow = flags;

  const tellAll = (message: ToThread): void => {
    for (const thread of running.values()) thread.postMessage(message);
  };

  const load = (worker: number): LoadingThread => {
    const order: ThreadOrder = { worker, flags: flagsNow, ...shared, changes };
    const thread = new Worker(new URL(`./deciding-thread${IN_SOURCE ? '.ts' : '.js'}`, import.meta.url), {
      name: `worker-${worker}`,
      workerData: order,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      ...(IN_SOURCE ? { execArgv: ['--conditions=writecheck-source'] } : {}),
    });
    running.set(worker, thread);
    const prepared = Promise.withResolvers<void>();
    const listening = Promise.withResolvers<void>();
    const fail = (message: string): void => {
      for (const step of [prepared, listening]) {
        step.promise.catch(() => undefined);
        step.reject(new CommandFailure(message));
      }
    };
    let isListening = false;
    thread.on('message', (message: FromThread) => {
      if (message.kind === 'connect') sharing?.attach(message.to, message.port);
      if (message.kind === 'not-started') fail(message.message);
      if (message.kind === 'prepared') prepared.resolve();
      if (message.kind === 'listening') {
        isListening = true;
        listening.resolve();
      }
    });
    thread.on('error', (error) => log.error({ worker, error: String(error) }, 'a worker thread failed'));
    thread.on('exit', (code) => {
      running.delete(worker);
      fail('a worker thread did not start');
      if (!isStopping && isListening) died(worker, code);
    });
    return { thread, prepared: prepared.promise, listening: listening.promise };
  };

  const prepare = ({ thread, prepared }: LoadingThread): Promise<void> => {
    thread.postMessage({ kind: 'start', shared: sharing?.place ?? null } satisfies ToThread);
    return prepared;
  };

  /** A thread that replaces another listens as soon as it can; the others listen already. */
  async function startAgain(worker: number): Promise<void> {
    const loading = load(worker);
    await prepare(loading);
    const { thread, listening } = loading;
    thread.postMessage({ kind: 'listen' } satisfies ToThread);
    await listening;
    thread.postMessage({ kind: 'open' } satisfies ToThread);
  }

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
      startAgain(worker).catch((error) => {
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
    const [first, ...others] = Array.from({ length: count }, (_, i) => load(i + 1));
    sharing = (await opening).sharing;
    // The first one alone, so that what keeps all of them from starting is reported once.
    await prepare(first!);
    await Promise.all(others.map(prepare));
    tellAll({ kind: 'listen' });
    await Promise.all([first!, ...others].map(({ listening }) => listening));
  } catch (error) {
    isStopping = true;
    await Promise.all([...running.values()].map((thread) => thread.terminate()));
    throw error;
  }
  return {
    running,
    gatherMetrics,
    setLogLevel: (level) => {
      // A thread that replaces another starts with it.
      flagsNow = { ...flagsNow, logLevel: level };
      tellAll({ kind: 'log-level', level });
    },
    open: () => tellAll({ kind: 'open' }),
    stop,
  };
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
