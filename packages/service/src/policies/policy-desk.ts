/** The main thread's side of the policy thread: one promise per job, and none of them for ever. */
import { Worker } from 'node:worker_threads';
import type { ProblemDetail } from '@writecheck/contract';
import type { BundleSource } from './bundle-source.ts';
import type { BundleDifference, Recorded } from './compare-texts.ts';

export type DeskJob =
  | { readonly kind: 'examine'; readonly source: BundleSource; readonly workspace: string }
  | {
      readonly kind: 'compare';
      readonly running: string;
      readonly next: string;
      /** Null where no examples are wanted. */
      readonly recorded: Recorded | null;
      readonly nowMs: number;
    }
  | { readonly kind: 'load'; readonly text: string; readonly digest: string };

export interface DeskRequest {
  readonly id: number;
  readonly job: DeskJob;
}

export type DeskReply =
  | { readonly id: number; readonly kind: 'value'; readonly value: unknown }
  | { readonly id: number; readonly kind: 'failed'; readonly message: string };

export type DeskExamined =
  | { readonly kind: 'good'; readonly digest: string; readonly text: string }
  | { readonly kind: 'invalid'; readonly details: readonly ProblemDetail[] }
  /** Too many bundles wait already, of this workspace or of all. */
  | { readonly kind: 'busy' };

interface Waiting {
  readonly id: number;
  readonly settle: (reply: DeskReply | null) => void;
}

const IN_SOURCE = import.meta.url.endsWith('.ts');
/** A job that takes longer is given up together with its thread: neither parser nor sampling are ours to bound. */
const JOB_TIMEOUT_MS = 20_000;
/** The thread goes when nobody needed it for so long. */
const IDLE_MS = 30_000;
const MOST_HEAP_MB = 512;
/** So that no workspace keeps the others waiting for long. */
const MOST_WAITING_PER_WORKSPACE = 64;
const MOST_WAITING = 256;
const TOO_LONG = 'the bundle takes too long to be looked at; write it more simply or in smaller parts';

export class PolicyDesk {
  readonly #timeoutMs: number;
  #worker: Worker | null = null;
  #waiting: Waiting | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | null = null;
  readonly #examining = new Map<string, number>();
  #nextId = 1;
  #isClosed = false;

  constructor(timeoutMs = JOB_TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
  }

  async examine(source: BundleSource, workspace: string): Promise<DeskExamined> {
    const own = this.#examining.get(workspace) ?? 0;
    const all = [...this.#examining.values()].reduce((sum, count) => sum + count, 0);
    if (own >= MOST_WAITING_PER_WORKSPACE || all >= MOST_WAITING) return { kind: 'busy' };
    this.#examining.set(workspace, own + 1);
    const value = await this.#ask({ kind: 'examine', source, workspace }).finally(() => {
      const left = (this.#examining.get(workspace) ?? 1) - 1;
      if (left === 0) this.#examining.delete(workspace);
      else this.#examining.set(workspace, left);
    });
    if (value === null) return { kind: 'invalid', details: [{ pointer: '', message: TOO_LONG }] };
    return value as DeskExamined;
  }

  /** Null where it could not be found out, or not in time: then it may loosen. */
  async compare(
    running: string,
    next: string,
    recorded: Recorded | null,
    nowMs: number,
  ): Promise<BundleDifference | null> {
    const job = { kind: 'compare', running, next, recorded, nowMs } as const;
    return (await this.#ask(job).catch(() => null)) as BundleDifference | null;
  }

  /** The documents in order, as JSON lists of a few each; null where the text does not compile to its digest. */
  async load(text: string, digest: string): Promise<readonly string[] | null> {
    return (await this.#ask({ kind: 'load', text, digest })) as readonly string[] | null;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#drop();
  }

  /** One job at a time: however many are sent at once, they hold one core and no more. */
  #ask(job: DeskJob): Promise<unknown> {
    const own = this.#last.then(() => this.#run(job));
    this.#last = own.catch(() => undefined);
    return own;
  }

  /** Null where the thread was stopped or broke. INVARIANT: nothing is applied on the word of a thread that is gone. */
  async #run(job: DeskJob): Promise<unknown> {
    if (this.#isClosed) throw new Error('the service is stopping');
    const id = this.#nextId++;
    const worker = this.#running();
    let timer: NodeJS.Timeout | undefined;
    const reply = await new Promise<DeskReply | null>((settle) => {
      this.#waiting = { id, settle };
      timer = setTimeout(() => this.#drop(), this.#timeoutMs);
      worker.postMessage({ id, job } satisfies DeskRequest);
    });
    clearTimeout(timer);
    this.#waiting = null;
    if (this.#worker !== null) {
      this.#idle = setTimeout(() => this.#drop(), IDLE_MS);
      this.#idle.unref();
    }
    if (reply === null) return null;
    if (reply.kind === 'failed') throw new Error(reply.message);
    return reply.value;
  }

  #running(): Worker {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(new URL(`./policy-thread${IN_SOURCE ? '.ts' : '.js'}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
      ...(IN_SOURCE ? { execArgv: ['--conditions=writecheck-source'] } : {}),
    });
    // A job under way is kept alive by its timer, not by the thread.
    worker.unref();
    const gone = () => {
      if (this.#worker === worker) void this.#drop();
    };
    worker.on('message', (reply: DeskReply) => {
      if (this.#worker === worker && this.#waiting?.id === reply.id) this.#waiting.settle(reply);
    });
    worker.on('error', gone);
    worker.on('exit', gone);
    this.#worker = worker;
    return worker;
  }

  async #drop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    this.#waiting?.settle(null);
    await worker?.terminate();
  }
}
