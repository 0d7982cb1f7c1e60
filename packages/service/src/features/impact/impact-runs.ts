/** Starts impact runs, keeps their leases, and ends them: every run that began ends, whatever happens. */
import type { Worker } from 'node:worker_threads';
import type { RunSettings } from '@writecheck/api';
import type { Store } from '@writecheck/store/port';
import { CUT_OFF, type FinishedRun, type NewRun, type StoredRun } from '@writecheck/store/port/impact';
import { newThread } from '@writecheck/store/threads/new-thread';
import { type Refusal, refuse } from '../../exchange/refusal.ts';
import type { SteadyClock } from '../../support/clocks/steady-clock.ts';
import { newId } from '../../support/ids/new-id.ts';
import { errorFields } from '../../support/observability/described-error.ts';
import type { Log } from '../../support/observability/log.ts';
import { FairQueue } from '../policies/fair-queue.ts';
import type { ReplayOrder, ReplayResult } from './replay-log.ts';
import type { ThreadData, ThreadReport } from './replay-thread.ts';

export interface ImpactParts {
  readonly store: Store;
  readonly clock: SteadyClock;
  readonly now: () => number;
  readonly log: Log;
}

/** The rest of what a finished run writes, besides its report. */
type Conclusion = Pick<FinishedRun, 'settings' | 'assessment' | 'entries'>;

export interface RunOrder {
  readonly id: string;
  readonly settings: RunSettings;
  readonly order: ReplayOrder;
  /** Called once the log is replayed, before the run is done. */
  readonly conclude?: (result: ReplayResult, finishedAtMs: number) => Promise<Conclusion>;
}

interface StartedRun {
  readonly kind: 'started';
  readonly run: StoredRun;
  /** The run as it ended; null if the store no longer has it. Never rejects. */
  readonly ended: Promise<StoredRun | null>;
}

const LEASE_MS = 8_000;
const HEARTBEAT_MS = 1_000;
const HEAP_MB_MAX = 512;
const BROKE = 'the run failed because of an internal error; tell the operator';

interface Running {
  readonly workspace: string;
  readonly id: string;
  progress: Pick<NewRun, 'done' | 'total' | 'report'>;
  worker: Worker | null;
  /** Set once its replay should stop. */
  isOver: boolean;
  /** Wakes the caller that waits for the thread. */
  stop: () => void;
}

export class ImpactRuns {
  readonly #parts: ImpactParts;
  readonly #running = new Map<string, Running>();
  /** One run at a time in this process, in turns among workspaces: however many start, they use one core. */
  readonly #queue = new FairQueue();

  constructor(parts: ImpactParts) {
    this.#parts = parts;
  }

  newRunId(): string {
    return newId('imp_', this.#nowMs());
  }

  async start(order: RunOrder): Promise<StartedRun | Refusal> {
    const { store } = this.#parts;
    const { workspace } = order.order;
    const { CountReport } = await import('./count-report.ts');
    const run: NewRun = {
      workspace,
      id: order.id,
      startedAtMs: this.#nowMs(),
      settings: JSON.stringify(order.settings),
      done: 0,
      total: 0,
      report: JSON.stringify(new CountReport([]).shown),
    };
    const outcome = await store.startRun(run, LEASE_MS);
    if (outcome.kind === 'in_progress') return inProgress(outcome.id);
    const running: Running = {
      workspace,
      id: order.id,
      progress: run,
      worker: null,
      isOver: false,
      stop: () => undefined,
    };
    this.#running.set(order.id, running);
    const ended = this.#see(order, running).finally(() => this.#running.delete(order.id));
    return {
      kind: 'started',
      run: { ...run, state: 'running', finishedAtMs: null, because: null, digest: null },
      ended: ended.then(() => store.findRun(workspace, order.id)).catch(() => null),
    };
  }

  /** Cancels a run that is still running; a finished one stays as it is. Null if there is no such run. */
  async cancel(workspace: string, id: string): Promise<StoredRun | null> {
    const { store } = this.#parts;
    const running = this.#running.get(id);
    if (running?.workspace === workspace) {
      // The newest counts go with it.
      await store.keepRun(workspace, id, running.progress, LEASE_MS);
    }
    await store.endRun(workspace, id, 'cancelled', null, this.#nowMs());
    if (running?.workspace === workspace) this.#letGo(running);
    return store.findRun(workspace, id);
  }

  /** Ends every run of this process, because the service is stopping. */
  async stop(): Promise<void> {
    for (const running of [...this.#running.values()]) {
      this.#letGo(running);
      await this.#end(running, CUT_OFF);
    }
  }

  #nowMs(): number {
    return this.#parts.clock.notBefore(this.#parts.now());
  }

  /** Follows a run from its first heartbeat to its last state. */
  async #see(order: RunOrder, running: Running): Promise<void> {
    const beating = setInterval(() => void this.#beat(running), HEARTBEAT_MS);
    beating.unref();
    try {
      const report = await this.#queue.run(running.workspace, () => this.#replay(order, running));
      if (running.isOver || report === null) return;
      if (report.kind === 'failed') await this.#end(running, report.because);
      else if (report.kind === 'done') await this.#finish(order, running, report.result);
    } catch (thrown) {
      this.#parts.log.error({ run: running.id, ...errorFields(thrown) }, 'an impact run failed');
      await this.#end(running, BROKE).catch(() => undefined);
    } finally {
      clearInterval(beating);
      this.#letGo(running);
    }
  }

  async #beat(running: Running): Promise<void> {
    const { workspace, id, progress } = running;
    const { store, log } = this.#parts;
    try {
      // Somebody has cancelled it, on whichever replica.
      if (!(await store.keepRun(workspace, id, progress, LEASE_MS))) this.#letGo(running);
    } catch (thrown) {
      // The next beat may succeed; if none does, the lease lapses and the run is failed.
      log.warn({ run: id, ...errorFields(thrown) }, 'the progress of an impact run could not be saved');
    }
  }

  async #replay({ order }: RunOrder, running: Running): Promise<ThreadReport | null> {
    if (running.isOver) return null;
    const { store } = this.#parts;
    const total = await this.#expected(order);
    running.progress = { ...running.progress, total };
    const workerData: ThreadData = { place: store.logPlace, order };
    const worker = newThread('./impact-thread', import.meta.url, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
    running.worker = worker;
    return new Promise((resolve) => {
      running.stop = () => resolve(null);
      if (running.isOver) resolve(null);
      worker.on('message', (report: ThreadReport) => {
        if (report.kind !== 'progress') return resolve(report);
        const done = report.decisions;
        running.progress = { done, total: Math.max(total, done), report: JSON.stringify(report.report) };
      });
      worker.on('error', (error) => {
        this.#parts.log.error({ run: running.id, ...errorFields(error) }, 'an impact run failed');
        resolve({ kind: 'failed', because: BROKE });
      });
      worker.on('exit', () => resolve({ kind: 'failed', because: BROKE }));
    });
  }

  /** How many decisions the range may hold; an upper bound, because it counts whole hours, all keys and all systems. */
  async #expected({ workspace, fromMs, toMs }: ReplayOrder): Promise<number> {
    const hours = await this.#parts.store.countDecisions(workspace, Math.max(0, fromMs), toMs, 'hour');
    return hours.reduce((sum, { allow, pause, block }) => sum + allow + pause + block, 0);
  }

  async #finish(order: RunOrder, running: Running, result: ReplayResult): Promise<void> {
    const { store, clock } = this.#parts;
    const { workspace, id } = running;
    const finishedAtMs = this.#nowMs();
    const {
      settings = JSON.stringify(order.settings),
      assessment = null,
      entries = [],
    } = (await order.conclude?.(result, finishedAtMs)) ?? {};
    const { decisions } = result.report.coverage;
    const timestamp = new Date(finishedAtMs).toISOString();
    const candidate = (JSON.parse(settings) as RunSettings).candidate.digest;
    const { digest } = result;
    const entry = { kind: 'impact', workspace, timestamp, run: id, candidate, reportDigest: digest } as const;
    await store.finishRun({
      workspace,
      id,
      finishedAtMs,
      settings,
      done: decisions,
      total: decisions,
      report: JSON.stringify(result.report),
      digest,
      assessment,
      entries: [entry, ...entries],
    });
    clock.saw(finishedAtMs);
  }

  async #end(running: Running, because: string): Promise<void> {
    const { store } = this.#parts;
    const { workspace, id, progress } = running;
    await store.keepRun(workspace, id, progress, LEASE_MS);
    await store.endRun(workspace, id, 'failed', because, this.#nowMs());
  }

  #letGo(running: Running): void {
    running.isOver = true;
    running.stop();
    void running.worker?.terminate();
    running.worker = null;
  }
}

function inProgress(id: string): Refusal {
  const message = `run \`${id}\` is in progress`;
  return refuse('run_in_progress', `${message}; wait for it, or cancel it`, [{ pointer: '', message }]);
}
