/** The main thread's side of the policy thread: one promise per job, and each one settles. */
import type { Worker } from 'node:worker_threads';
import type { ProblemDetail } from '@writecheck/contract';
import { StoreUnavailable } from '@writecheck/store/port';
import { newThread } from '@writecheck/store/threads/new-thread';
import type { BodyOutline } from './body-outline.ts';
import type { BundleSource } from './bundle-source.ts';
import type { BundleDifference, Recorded } from './compare-texts.ts';
import { FairQueue } from './fair-queue.ts';

export type PolicyJob =
  | { readonly kind: 'outline'; readonly bytes: Uint8Array }
  | { readonly kind: 'examine'; readonly source: BundleSource; readonly workspace: string }
  | {
      readonly kind: 'compare';
      readonly running: string;
      readonly next: string;
      /** Null if no examples are wanted. */
      readonly recorded: Recorded | null;
      readonly nowMs: number;
    }
  | { readonly kind: 'load'; readonly text: string; readonly digest: string };

export type JobReply = { readonly usedMs: number } & (
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly message: string }
);

/** Too many bundles are waiting already, for this workspace or for all. */
const BUSY = { kind: 'busy' } as const;

type ExaminedBundle =
  | {
      readonly kind: 'good';
      readonly digest: string;
      readonly text: string;
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'invalid'; readonly details: readonly ProblemDetail[] }
  | typeof BUSY;

/** A job that takes longer is abandoned together with its thread: we cannot bound the parser or the sampling. */
const JOB_TIMEOUT_MS = 10_000;
/** The thread ends after being unused for this long. */
const IDLE_MS = 30_000;
const HEAP_MB_MAX = 512;
/** Keeps a few workspaces from filling the queue of all. */
const WAITING_PER_WORKSPACE_MAX = 16;
const WAITING_MAX = 256;
/** An estimate: examining a bundle of 300 KB takes half a second of processor time, and so does comparing two. */
const MS_PER_CHARACTER = 1 / 600;
const TOO_LONG = 'checking this bundle timed out; simplify it or split it';
const TIMED_OUT = { kind: 'invalid', details: [{ pointer: '', message: TOO_LONG }] } as const;

export class PolicyJobs {
  readonly #timeoutMs: number;
  #worker: Worker | null = null;
  /** Settles the one job that the thread works on. */
  #settle: ((reply: JobReply | null) => void) | null = null;
  /** The processor time of all jobs. */
  #usedMs = 0;
  readonly #queue = new FairQueue(() => this.#usedMs);
  #idle: NodeJS.Timeout | null = null;
  readonly #sent = new Map<string, number>();
  #isClosed = false;

  constructor(timeoutMs = JOB_TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
  }

  async examine(source: BundleSource, workspace: string): Promise<ExaminedBundle> {
    const value = await this.#askForSender({ kind: 'examine', source, workspace }, workspace);
    return (value as ExaminedBundle | null) ?? TIMED_OUT;
  }

  /** The members of a request body around its documents. */
  async outline(
    bytes: Uint8Array,
    workspace: string,
  ): Promise<BodyOutline | Exclude<ExaminedBundle, { readonly kind: 'good' }>> {
    const value = await this.#askForSender({ kind: 'outline', bytes }, workspace);
    return (value as BodyOutline | typeof BUSY | null) ?? TIMED_OUT;
  }

  /** Null if the comparison failed or timed out: then the bundle may loosen. */
  async compare(
    running: string,
    next: string,
    recorded: Recorded | null,
    nowMs: number,
    workspace: string,
  ): Promise<BundleDifference | null> {
    const job = { kind: 'compare', running, next, recorded, nowMs } as const;
    return (await this.#ask(job, workspace).catch(() => null)) as BundleDifference | null;
  }

  /** The documents in order, as JSON lists of a few each; null if the text does not compile to its digest. */
  async load(text: string, digest: string, workspace: string): Promise<readonly string[] | null> {
    const loaded = (await this.#ask({ kind: 'load', text, digest }, workspace)) as {
      readonly pieces: readonly string[] | null;
    } | null;
    if (loaded === null)
      throw new StoreUnavailable('timeout', `the bundle of ${workspace} took too long to load`);
    return loaded.pieces;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#drop();
  }

  async #askForSender(job: PolicyJob, workspace: string): Promise<unknown> {
    const own = this.#sent.get(workspace) ?? 0;
    const all = [...this.#sent.values()].reduce((sum, count) => sum + count, 0);
    if (own >= WAITING_PER_WORKSPACE_MAX || all >= WAITING_MAX) return BUSY;
    this.#sent.set(workspace, own + 1);
    return this.#ask(job, workspace).finally(() => {
      const left = (this.#sent.get(workspace) ?? 1) - 1;
      if (left === 0) this.#sent.delete(workspace);
      else this.#sent.set(workspace, left);
    });
  }

  /** One job at a time, fairly among workspaces: however many arrive together, they use one core and no more. */
  #ask(job: PolicyJob, workspace: string): Promise<unknown> {
    return this.#queue.run(workspace, () => this.#run(job), charactersOf(job) * MS_PER_CHARACTER);
  }

  /** Null if the thread was stopped or broke. INVARIANT: nothing is applied on the word of a thread that is gone. */
  async #run(job: PolicyJob): Promise<unknown> {
    if (this.#isClosed) throw new Error('the service is stopping');
    const worker = this.#running();
    const startedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const reply = await new Promise<JobReply | null>((settle) => {
      this.#settle = settle;
      timer = setTimeout(() => this.#drop(), this.#timeoutMs);
      worker.postMessage(job);
    });
    clearTimeout(timer);
    this.#settle = null;
    this.#usedMs += reply?.usedMs ?? performance.now() - startedAt;
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
    const worker = newThread('./policy-thread', import.meta.url, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
    // A running job is kept alive by its timer, not by the thread.
    worker.unref();
    const gone = () => {
      if (this.#worker === worker) void this.#drop();
    };
    // INVARIANT: a thread has one job at a time, and drops a late one, so a reply belongs to the waiting job.
    worker.on('message', (reply: JobReply) => {
      if (this.#worker === worker) this.#settle?.(reply);
    });
    worker.on('error', gone);
    worker.on('exit', gone);
    this.#worker = worker;
    return worker;
  }

  async #drop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    this.#settle?.(null);
    await worker?.terminate();
  }
}

function charactersOf(job: PolicyJob): number {
  switch (job.kind) {
    case 'outline':
      return job.bytes.length;
    case 'examine':
      return job.source.kind === 'yaml'
        ? job.source.files.reduce((sum, { bytes }) => sum + bytes.length, 0)
        : job.source.kind === 'body'
          ? job.source.bytes.length
          : job.source.text.length;
    case 'compare':
      return (job.running.length + job.next.length) / 2;
    case 'load':
      return job.text.length;
  }
}
