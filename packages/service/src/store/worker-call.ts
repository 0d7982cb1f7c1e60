/** Calls into a worker thread of the store: one promise per request, and a failure for all of them if it dies. */
import { Worker } from 'node:worker_threads';
import type { StoreUnavailable } from './port.ts';

export type WorkerReply =
  | {
      readonly id: number;
      readonly kind: 'value';
      readonly value: unknown;
      /** The moved buffer, on its way back. */
      readonly moved?: ArrayBuffer;
    }
  | { readonly id: number; readonly kind: 'failed'; readonly why: string; readonly cause: string };

/**
 * A running thread with its unanswered calls. INVARIANT: no id is given twice, and no other thread's reply or end
 * touches these calls, because a reply that reached the wrong call would be trusted.
 */
interface Running {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
}

interface Waiting {
  readonly resolve: (reply: Extract<WorkerReply, { kind: 'value' }>) => void;
  readonly reject: (failure: StoreUnavailable) => void;
}

export interface Thread {
  /** The thread's file without its extension, relative to `from`. */
  readonly name: string;
  readonly from: string;
  readonly data: object;
  /** Whether it has work of its own, so that it must run even without calls. */
  readonly isLasting?: boolean;
  /** The store's words for what may go wrong. */
  readonly unavailable: (why: StoreUnavailable['why'], cause?: unknown) => StoreUnavailable;
}

const YOUNG_MB = 8;
const REPLACE_AFTER_MS = 1_000;
const IN_SOURCE = import.meta.url.endsWith('.ts');

export class WorkerCall {
  readonly #file: URL;
  readonly #data: object;
  readonly #unavailable: Thread['unavailable'];
  readonly #isLasting: boolean;
  #running: Running | null = null;
  #nextId = 1;
  #closed = false;

  constructor({ name, from, data, unavailable, isLasting = false }: Thread) {
    this.#file = new URL(`${name}${IN_SOURCE ? '.ts' : '.js'}`, from);
    this.#data = data;
    this.#unavailable = unavailable;
    this.#isLasting = isLasting;
    // Starts it before it is first needed.
    if (isLasting) this.#run();
  }

  async call(name: string, ...args: readonly unknown[]): Promise<unknown> {
    if (this.#closed) throw this.#unavailable('closed');
    return (await this.#send(name, args)).value;
  }

  /** A call whose argument holds a buffer that moves over without a copy, and comes back with the reply. */
  async move(
    name: string,
    arg: unknown,
    buffer: ArrayBuffer,
  ): Promise<{ readonly value: unknown; readonly moved: ArrayBuffer | null }> {
    if (this.#closed) throw this.#unavailable('closed');
    const { value, moved } = await this.#send(name, [arg], [buffer]);
    return { value, moved: moved ?? null };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const worker = this.#running?.worker;
    if (worker === undefined) return;
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    await this.#send('close', []).catch(() => undefined);
    await exited;
  }

  #send(
    name: string,
    args: readonly unknown[],
    moved: ArrayBuffer[] = [],
  ): Promise<Extract<WorkerReply, { kind: 'value' }>> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      const { worker, waiting } = this.#run();
      worker.postMessage({ id, name, args }, moved);
      waiting.set(id, { resolve, reject });
    });
  }

  #run(): Running {
    if (this.#running !== null) return this.#running;
    const waiting = new Map<number, Waiting>();
    const worker = new Worker(this.#file, {
      workerData: this.#data,
      // These threads allocate little that lasts: a small nursery keeps the process small.
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      ...(IN_SOURCE ? { execArgv: ['--conditions=writecheck-source'] } : {}),
    });
    worker.on('message', (reply: WorkerReply) => {
      const call = waiting.get(reply.id);
      if (call === undefined) return;
      waiting.delete(reply.id);
      if (reply.kind === 'value') call.resolve(reply);
      else call.reject(this.#unavailable(reply.why as StoreUnavailable['why'], new Error(reply.cause)));
    });
    const died = (cause: unknown): void => {
      if (this.#running?.worker === worker) this.#running = null;
      // INVARIANT: calls in progress when the thread died have an unknown outcome, so no caller gets a value.
      for (const { reject } of waiting.values()) reject(this.#unavailable('unknown', cause));
      waiting.clear();
      if (!this.#isLasting || this.#closed) return;
      setTimeout(() => {
        if (!this.#closed) this.#run();
      }, REPLACE_AFTER_MS).unref();
    };
    worker.on('error', died);
    worker.on('exit', (code) => died(new Error(`the thread ended with ${code}`)));
    this.#running = { worker, waiting };
    return this.#running;
  }
}
