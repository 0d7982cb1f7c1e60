/** Calls into another thread: one promise for each call, and a failure for all of them if the thread dies. */
import type { MessagePort, Worker } from 'node:worker_threads';
import type { StoreUnavailable } from '../port/failure.ts';
import { newThread } from './new-thread.ts';

export type CallReply =
  | {
      readonly id: number;
      readonly kind: 'value';
      readonly value: unknown;
    }
  | {
      readonly id: number;
      readonly kind: 'failed';
      readonly why: string;
      readonly cause: string;
      /** The thread's stack: where it was thrown. */
      readonly stack: string;
    };

export type Unavailable = (why: StoreUnavailable['why'], cause?: unknown) => StoreUnavailable;

/** Functions that can be called on another thread, whatever thread started it. */
export interface ThreadCalls {
  call(name: string, ...args: readonly unknown[]): Promise<unknown>;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (failure: StoreUnavailable) => void;
}

type Post = (call: object) => void;

/**
 * Calls to one thread over one port that have no reply yet.
 *
 * INVARIANT: no id is given twice, and the replies and the end of another thread or port reach other calls than
 * these, because a reply that reached the wrong call would be trusted.
 */
class PendingCalls {
  readonly #post: Post;
  readonly #unavailable: Unavailable;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #whenNone: (() => void) | null = null;

  constructor(post: Post, unavailable: Unavailable) {
    this.#post = post;
    this.#unavailable = unavailable;
  }

  send(name: string, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#post({ id, name, args });
      this.#waiting.set(id, { resolve, reject });
    });
  }

  answered(reply: CallReply): void {
    const call = this.#waiting.get(reply.id);
    if (call === undefined) return;
    this.#waiting.delete(reply.id);
    if (reply.kind === 'value') call.resolve(reply.value);
    else {
      const cause = Object.assign(new Error(reply.cause), { stack: reply.stack });
      call.reject(this.#unavailable(reply.why as StoreUnavailable['why'], cause));
    }
    if (this.#waiting.size === 0) this.#whenNone?.();
  }

  /** INVARIANT: calls in progress when the thread died have an unknown outcome, so no caller gets a value. */
  failAll(cause: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(this.#unavailable('unknown', cause));
    this.#waiting.clear();
    this.#whenNone?.();
  }

  /** Resolves once no call is left. */
  settled(): Promise<void> {
    if (this.#waiting.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenNone = resolve;
    });
  }
}

/** One end of the messages: a thread, or one end of a channel to it. */
interface End {
  postMessage(call: object): void;
  on(event: 'message', heard: (reply: CallReply) => void): unknown;
}

abstract class Calling<To extends End> implements ThreadCalls {
  readonly #connect: () => To;
  readonly #unavailable: Unavailable;
  /** The running thread with its pending calls. */
  protected running: { readonly end: To; readonly pending: PendingCalls } | null = null;
  protected isClosed = false;

  constructor(connect: () => To, unavailable: Unavailable) {
    this.#connect = connect;
    this.#unavailable = unavailable;
  }

  protected abstract whenEnded(end: To, ended: (cause: unknown) => void): void;
  abstract close(): Promise<void>;

  async call(name: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.#pending().send(name, args);
  }

  #pending(): PendingCalls {
    if (this.isClosed) throw this.#unavailable('closed');
    return this.run().pending;
  }

  protected run(): NonNullable<typeof this.running> {
    if (this.running !== null) return this.running;
    const end = this.#connect();
    const pending = new PendingCalls((call) => end.postMessage(call), this.#unavailable);
    end.on('message', (reply) => pending.answered(reply));
    this.whenEnded(end, (cause) => {
      if (this.running?.end === end) this.running = null;
      pending.failAll(cause);
    });
    this.running = { end, pending };
    return this.running;
  }
}

interface Thread {
  /** The thread's file without its extension, relative to `from`. */
  readonly name: string;
  readonly from: string;
  readonly data: object;
  /** Whether it has its own work, so that it must run even without calls. */
  readonly isLasting?: boolean;
  /** The store's messages for failures. */
  readonly unavailable: Unavailable;
}

/** Hands a thread another port to serve. */
export interface Attach {
  readonly attach: MessagePort;
}

const YOUNG_MB = 8;
const REPLACE_AFTER_MS = 1_000;

export class WorkerCall extends Calling<Worker> {
  readonly #isLasting: boolean;

  constructor({ name, from, data, unavailable, isLasting = false }: Thread) {
    const start = (): Worker =>
      newThread(name, from, {
        name: name.slice(name.lastIndexOf('/') + 1),
        workerData: data,
        // These threads allocate little that lasts: a small nursery keeps the process small.
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      });
    super(start, unavailable);
    this.#isLasting = isLasting;
    // Starts it before it is first needed.
    if (isLasting) this.run();
  }

  /** Lets another thread call this one over its own port. The port closes when this thread ends. */
  attach(port: MessagePort): void {
    if (this.isClosed) port.close();
    else this.run().end.postMessage({ attach: port } satisfies Attach, [port]);
  }

  override async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this.running === null) return;
    const { end, pending } = this.running;
    const exited = new Promise((resolve) => end.once('exit', resolve));
    await pending.send('close', []).catch(() => undefined);
    await exited;
  }

  protected override whenEnded(worker: Worker, ended: (cause: unknown) => void): void {
    const died = (cause: unknown): void => {
      ended(cause);
      if (!this.#isLasting || this.isClosed) return;
      setTimeout(() => {
        if (!this.isClosed) this.run();
      }, REPLACE_AFTER_MS).unref();
    };
    worker.on('error', died);
    worker.on('exit', (code) => died(new Error(`the thread ended with ${code}`)));
  }
}

/** Calls into a thread that another thread owns: over a separate port, and over a new one if it closes. */
export class PortCall extends Calling<MessagePort> {
  /** The thread continues for the others. */
  override async close(): Promise<void> {
    this.isClosed = true;
    await this.running?.pending.settled();
    this.running?.end.close();
  }

  /** Both ends close when either thread ends. */
  protected override whenEnded(port: MessagePort, ended: (cause: unknown) => void): void {
    port.on('close', () => ended(new Error('the thread at the other end has ended')));
  }
}
