/** Impact runs: each replays in a thread of its own, and ends with its report, its failure or its caller. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ImpactLine } from '@writecheck/api';
import type { Store } from '@writecheck/store/port';
import { newThread } from '@writecheck/store/threads/new-thread';
import { type Refusal, refuse } from '../../exchange/refusal.ts';
import { errorFields } from '../../support/observability/described-error.ts';
import type { Log } from '../../support/observability/log.ts';
import type { ReplayOrder } from './replay-log.ts';
import type { ThreadData, ThreadReport } from './replay-thread.ts';

export interface ImpactParts {
  readonly store: Pick<Store, 'countDecisions' | 'logPlace'>;
  readonly log: Log;
}

/** Half of what a caller is promised. */
const PROGRESS_EVERY_MS = 500;
const HEAP_MB_MAX = 512;

const IN_PROGRESS = refuse(
  'run_in_progress',
  'this workspace has a run in progress; wait for its end, or close its connection',
);
const BROKE = failed('internal_error', 'the run failed because of an internal error; it is logged');
const TOO_MANY = failed('overloaded', 'too many different writes; choose a shorter range, or a `system`');
const STOPPED = failed('overloaded', 'the service is stopping; start the run again');

interface Progress {
  done: number;
  total: number;
}

interface StartedRun {
  readonly kind: 'started';
  readonly lines: AsyncGenerator<string>;
  /** Never rejects. */
  readonly ended: Promise<unknown>;
}

export class ImpactRuns {
  readonly #parts: ImpactParts;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(parts: ImpactParts) {
    this.#parts = parts;
  }

  /** INVARIANT: `left` ends the run, whether or not anybody has begun to read its lines. */
  async start(order: ReplayOrder, left: AbortSignal): Promise<StartedRun | Refusal> {
    const progress = { done: 0, total: await this.#expected(order) };
    const letGo = await take(`impact of ${order.workspace}`);
    if (letGo === null) return IN_PROGRESS;
    const signal = AbortSignal.any([left, this.#stopping.signal]);
    const ended = this.#run(order, progress, signal).finally(letGo);
    this.#running.add(ended);
    void ended.then(() => this.#running.delete(ended));
    return { kind: 'started', lines: linesOf(progress, ended), ended };
  }

  /** Ends every run of this thread, so that its caller gets an error before the connection is drained. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  /** How many decisions the range may hold; an upper bound, because it counts whole hours, all keys and all systems. */
  async #expected({ workspace, fromMs, toMs }: ReplayOrder): Promise<number> {
    const hours = await this.#parts.store.countDecisions(workspace, Math.max(0, fromMs), toMs, 'hour');
    return hours.reduce((sum, { allow, pause: paused, block }) => sum + allow + paused + block, 0);
  }

  async #run(order: ReplayOrder, progress: Progress, signal: AbortSignal): Promise<ImpactLine> {
    try {
      // One after the other, so that the runs of all workspaces take the part of one.
      return await navigator.locks.request('impact', { signal }, () => this.#replay(order, progress, signal));
    } catch (thrown) {
      if (signal.aborted) return STOPPED;
      this.#parts.log.error(errorFields(thrown), 'an impact run failed');
      return (thrown as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY' ? TOO_MANY : BROKE;
    }
  }

  async #replay(order: ReplayOrder, progress: Progress, signal: AbortSignal): Promise<ImpactLine> {
    signal.throwIfAborted();
    const workerData: ThreadData = { place: this.#parts.store.logPlace, order };
    const worker = newThread('./impact-thread', import.meta.url, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
    try {
      return await new Promise<ImpactLine>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        worker.on('message', (told: ThreadReport) => {
          if (told.kind === 'failed') return resolve(failed('store_unavailable', told.because));
          progress.done = told.kind === 'done' ? told.report.coverage.decisions : told.decisions;
          progress.total = told.kind === 'done' ? progress.done : Math.max(progress.done, progress.total);
          if (told.kind === 'done') resolve({ report: told.report });
        });
        worker.on('error', reject);
        worker.on('exit', () => reject(new Error('the thread of an impact run ended')));
      });
    } finally {
      await worker.terminate();
    }
  }
}

async function* linesOf(progress: Progress, ended: Promise<ImpactLine>): AsyncGenerator<string> {
  for (let line: ImpactLine | undefined; line === undefined; ) {
    yield `${JSON.stringify({ progress })}\n`;
    line = await Promise.race([ended, pause(PROGRESS_EVERY_MS, undefined, { ref: false })]);
  }
  if ((await ended).report !== undefined) yield `${JSON.stringify({ progress })}\n`;
  yield `${JSON.stringify(await ended)}\n`;
}

/** Takes a lock that all threads of this process share; null if it is taken, else what lets it go. */
function take(name: string): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    const held = (lock: unknown): Promise<void> | void =>
      lock === null ? resolve(null) : new Promise((letGo) => resolve(letGo));
    navigator.locks.request(name, { ifAvailable: true }, held).catch(reject);
  });
}

function failed(code: string, message: string): ImpactLine {
  return { error: { code, message } };
}
