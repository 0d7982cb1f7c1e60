/** Calls that were sent to one thread over one port, and that it has not answered yet. */
import type { StoreUnavailable } from './port.ts';

export type CallReply =
  | {
      readonly id: number;
      readonly kind: 'value';
      readonly value: unknown;
      /** The moved buffer, on its way back. */
      readonly moved?: ArrayBuffer;
    }
  | { readonly id: number; readonly kind: 'failed'; readonly why: string; readonly cause: string };

export type CallValue = Extract<CallReply, { kind: 'value' }>;
export type Unavailable = (why: StoreUnavailable['why'], cause?: unknown) => StoreUnavailable;

/** What can be called on another thread, whichever thread started it. */
export interface ThreadCalls {
  call(name: string, ...args: readonly unknown[]): Promise<unknown>;
  /** A call whose argument holds a buffer that moves over without a copy, and comes back with the reply. */
  move(
    name: string,
    arg: unknown,
    buffer: ArrayBuffer,
  ): Promise<{ readonly value: unknown; readonly moved: ArrayBuffer | null }>;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (reply: CallValue) => void;
  readonly reject: (failure: StoreUnavailable) => void;
}

type Post = (call: object, moved: ArrayBuffer[]) => void;

/**
 * INVARIANT: no id is given twice, and the replies and the end of another thread or port reach other calls than
 * these, because a reply that reached the wrong call would be trusted.
 */
export class PendingCalls {
  readonly #post: Post;
  readonly #unavailable: Unavailable;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #whenNone: (() => void) | null = null;

  constructor(post: Post, unavailable: Unavailable) {
    this.#post = post;
    this.#unavailable = unavailable;
  }

  send(name: string, args: readonly unknown[], moved: ArrayBuffer[] = []): Promise<CallValue> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#post({ id, name, args }, moved);
      this.#waiting.set(id, { resolve, reject });
    });
  }

  answered(reply: CallReply): void {
    const call = this.#waiting.get(reply.id);
    if (call === undefined) return;
    this.#waiting.delete(reply.id);
    if (reply.kind === 'value') call.resolve(reply);
    else call.reject(this.#unavailable(reply.why as StoreUnavailable['why'], new Error(reply.cause)));
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
