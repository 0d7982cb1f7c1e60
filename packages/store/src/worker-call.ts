/** Calls into a worker thread of the store: one promise per request, and a failure for all of them if it dies. */
import { type MessagePort, Worker } from 'node:worker_threads';
import { type CallReply, PendingCalls, type ThreadCalls, type Unavailable } from './pending-calls.ts';

/** A running thread with its unanswered calls. */
interface Running {
  readonly worker: Worker;
  readonly pending: PendingCalls;
}

export interface Thread {
  /** The thread's file without its extension, relative to `from`. */
  readonly name: string;
  readonly from: string;
  readonly data: object;
  /** Whether it has work of its own, so that it must run even without calls. */
  readonly isLasting?: boolean;
  /** The store's words for what may go wrong. */
  readonly unavailable: Unavailable;
}

/** Hands a thread another port to serve. */
export interface Attach {
  readonly attach: MessagePort;
}

const YOUNG_MB = 8;
const REPLACE_AFTER_MS = 1_000;
const IN_SOURCE = import.meta.url.endsWith('.ts');

export class WorkerCall implements ThreadCalls {
  readonly #file: URL;
  readonly #name: string;
  readonly #data: object;
  readonly #unavailable: Unavailable;
  readonly #isLasting: boolean;
  #running: Running | null = null;
  #closed = false;

  constructor({ name, from, data, unavailable, isLasting = false }: Thread) {
    this.#file = new URL(`${name}${IN_SOURCE ? '.ts' : '.js'}`, from);
    this.#name = name.slice(name.lastIndexOf('/') + 1);
    this.#data = data;
    this.#unavailable = unavailable;
    this.#isLasting = isLasting;
    // Starts it before it is first needed.
    if (isLasting) this.#run();
  }

  async call(name: string, ...args: readonly unknown[]): Promise<unknown> {
    if (this.#closed) throw this.#unavailable('closed');
    return (await this.#run().pending.send(name, args)).value;
  }

  async move(
    name: string,
    arg: unknown,
    buffer: ArrayBuffer,
  ): Promise<{ readonly value: unknown; readonly moved: ArrayBuffer | null }> {
    if (this.#closed) throw this.#unavailable('closed');
    const { value, moved } = await this.#run().pending.send(name, [arg], [buffer]);
    return { value, moved: moved ?? null };
  }

  /** Lets another thread call this one over its own port. The port closes when this thread ends. */
  attach(port: MessagePort): void {
    if (this.#closed) port.close();
    else this.#run().worker.postMessage({ attach: port } satisfies Attach, [port]);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#running === null) return;
    const { worker, pending } = this.#running;
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    await pending.send('close', []).catch(() => undefined);
    await exited;
  }

  #run(): Running {
    if (this.#running !== null) return this.#running;
    const worker = new Worker(this.#file, {
      name: this.#name,
      workerData: this.#data,
      // These threads allocate little that lasts: a small nursery keeps the process small.
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      ...(IN_SOURCE ? { execArgv: ['--conditions=writecheck-source'] } : {}),
    });
    const pending = new PendingCalls((call, moved) => worker.postMessage(call, moved), this.#unavailable);
    worker.on('message', (reply: CallReply) => pending.answered(reply));
    const died = (cause: unknown): void => {
      if (this.#running?.worker === worker) this.#running = null;
      pending.failAll(cause);
      if (!this.#isLasting || this.#closed) return;
      setTimeout(() => {
        if (!this.#closed) this.#run();
      }, REPLACE_AFTER_MS).unref();
    };
    worker.on('error', died);
    worker.on('exit', (code) => died(new Error(`the thread ended with ${code}`)));
    this.#running = { worker, pending };
    return this.#running;
  }
}
