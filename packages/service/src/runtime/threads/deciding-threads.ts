/** Several threads that serve one port: starts them, replaces one that dies, and stops them all together. */
import type { Worker } from 'node:worker_threads';
import { CommandFailure } from '@writecheck/contract/command';
import type { ForkAlarm } from '@writecheck/store/append-guard';
import type { Store } from '@writecheck/store/port';
import { newThread } from '@writecheck/store/threads/new-thread';
import { recentMemory } from '../../check/recent-allows.ts';
import { limitMemories } from '../../edge/request-limits.ts';
import { placesMemory } from '../../features/audit/export-places.ts';
import type { Flags } from '../../support/config/load-config.ts';
import type { Log } from '../../support/observability/log.ts';
import type { GatheredMetrics } from '../../support/observability/metrics.ts';
import { Siblings } from '../../support/siblings.ts';
import type { FromThread, ThreadOrder, ToThread } from './thread-messages.ts';

const REPLACE_AFTER_MS = 500;
/** Beyond this many deaths in quick succession, replacing threads does not help. */
const DEATHS_MAX = 5;
const DEATHS_WITHIN_MS = 30_000;
const METRICS_WITHIN_MS = 5_000;
/** Three times the space for new objects: more makes a thread larger, and hardly faster. */
const YOUNG_MB = 24;

export interface Threads {
  /** The running threads, by their number. */
  readonly running: ReadonlyMap<number, Worker>;
  gatherMetrics(): Promise<readonly GatheredMetrics[]>;
  /** Lets the threads respond; until then they only listen. */
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

interface ThreadParts {
  /** The port among them can be shared, so it is not 0. */
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
export async function startThreads(parts: ThreadParts): Promise<Threads> {
  const threads = new DecidingThreads(parts);
  await threads.start();
  return threads;
}

class DecidingThreads implements Threads {
  readonly running = new Map<number, Worker>();
  readonly #parts: ThreadParts;
  readonly #shared: Omit<ThreadOrder, 'worker' | 'flags'>;
  readonly #deaths: number[] = [];
  #sharing: Store['sharing'];
  #isStopping = false;
  #nextGathering = 1;

  constructor(parts: ThreadParts) {
    this.#parts = parts;
    this.#shared = {
      alarm: parts.alarm.shared,
      limits: limitMemories(),
      recentAllows: recentMemory(),
      exports: placesMemory(parts.count),
      changes: new Siblings().shared,
    };
  }

  async start(): Promise<void> {
    try {
      const [first, ...others] = Array.from({ length: this.#parts.count }, (_, i) => this.#load(i + 1));
      this.#sharing = (await this.#parts.store).sharing;
      // The first one alone, so that what keeps all of them from starting is reported once.
      await this.#prepare(first!);
      await Promise.all(others.map((each) => this.#prepare(each)));
      this.#tellAll({ kind: 'listen' });
      await Promise.all([first!, ...others].map(({ listening }) => listening));
    } catch (error) {
      this.#isStopping = true;
      await Promise.all([...this.running.values()].map((thread) => thread.terminate()));
      throw error;
    }
  }

  open(): void {
    this.#tellAll({ kind: 'open' });
  }

  /** INVARIANT: metrics of all threads or none, because a counter that falls for a moment looks like a restart. */
  async gatherMetrics(): Promise<readonly GatheredMetrics[]> {
    const id = this.#nextGathering++;
    return Promise.all([...this.running.values()].map((thread) => metricsOf(thread, id)));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(
      [...this.running.values()].map((thread) => {
        const gone = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
        thread.postMessage({ kind: 'stop' } satisfies ToThread);
        return gone;
      }),
    );
  }

  #tellAll(message: ToThread): void {
    for (const thread of this.running.values()) thread.postMessage(message);
  }

  #load(worker: number): LoadingThread {
    const { log } = this.#parts;
    const order: ThreadOrder = { ...this.#shared, worker, flags: this.#parts.flags };
    const thread = newThread('./deciding-thread', import.meta.url, {
      name: `worker-${worker}`,
      workerData: order,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    this.running.set(worker, thread);
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
      if (message.kind === 'connect') this.#sharing?.attach(message.to, message.port);
      if (message.kind === 'not-started') fail(message.message);
      if (message.kind === 'prepared') prepared.resolve();
      if (message.kind === 'listening') {
        isListening = true;
        listening.resolve();
      }
    });
    thread.on('error', (error) => log.error({ worker, error: String(error) }, 'a worker thread failed'));
    thread.on('exit', (code) => {
      this.running.delete(worker);
      fail('a worker thread did not start');
      if (!this.#isStopping && isListening) this.#died(worker, code);
    });
    return { thread, prepared: prepared.promise, listening: listening.promise };
  }

  #prepare({ thread, prepared }: LoadingThread): Promise<void> {
    thread.postMessage({ kind: 'start', shared: this.#sharing?.folder ?? null } satisfies ToThread);
    return prepared;
  }

  /** A replacement thread listens as soon as it can, because the others already listen. */
  async #startAgain(worker: number): Promise<void> {
    const loading = this.#load(worker);
    await this.#prepare(loading);
    const { thread, listening } = loading;
    thread.postMessage({ kind: 'listen' } satisfies ToThread);
    await listening;
    thread.postMessage({ kind: 'open' } satisfies ToThread);
  }

  #died(worker: number, code: number): void {
    const { log, gaveUp } = this.#parts;
    const nowMs = performance.now();
    while (this.#deaths.length > 0 && nowMs - this.#deaths[0]! > DEATHS_WITHIN_MS) this.#deaths.shift();
    this.#deaths.push(nowMs);
    log.error({ worker, code }, 'a worker thread died');
    if (this.#deaths.length >= DEATHS_MAX) {
      log.error({}, 'worker threads keep dying; giving up');
      gaveUp();
      return;
    }
    setTimeout(() => {
      if (this.#isStopping) return;
      this.#startAgain(worker).catch((error) => {
        log.error({ worker, error: String(error) }, 'a worker thread was not replaced');
        if (!this.#isStopping) this.#died(worker, 1);
      });
    }, REPLACE_AFTER_MS);
  }
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
    // Whatever it counted is lost with it.
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
