/** Idempotency keys: one request runs per key, and a kept response is replayed only while it still holds. */
import { hash } from 'node:crypto';
import { ALLOW_MS_MAX, DAY_MS } from '@writecheck/contract';
import { type Refusal, refuse, refuseFor } from '../exchange/refusal.ts';
import { BEHIND_MS_MAX } from '../support/clocks/steady-clock.ts';

export const KEPT_MS = DAY_MS;
const WAIT_FOR_TWIN_MS = 1_000;
/** A key with an allow that was taken: it never gives a second one. */
export const KEPT_TAKEN_MS = 30 * KEPT_MS;
const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

export function isVisibleAscii(header: string): boolean {
  return VISIBLE_ASCII.test(header);
}

/** The kinds of check requests: the same bytes mean something else in each. */
export type CheckFamily = 'check' | 'evaluation' | 'evaluations';

export interface IdempotencyKey {
  /** The header as sent, after the scope that it belongs to. */
  readonly key: string;
  readonly requestDigest: string;
}

/**
 * Null if the caller sent none. A check, an evaluation and a redemption with the same bytes are different requests.
 *
 * INVARIANT: its scope is the API key with those that it was rotated from and into, so no other key gets a decision
 * that it could not have got itself.
 */
export function idempotencyKey(
  header: string | undefined,
  family: CheckFamily | 'redeem' | 'freeze' | `correction ${string}`,
  body: Uint8Array,
  /** The first key of its rotations, or a person. */
  lineage: string,
): IdempotencyKey | Refusal | null {
  if (header === undefined) return null;
  if (!isVisibleAscii(header)) {
    return refuse('invalid_request', '`Idempotency-Key` must be 1 to 255 visible ASCII characters');
  }
  return { key: `${lineage}:${header}`, requestDigest: `${family}:${hash('sha256', body)}` };
}

/** Holds a key until `end`. */
class Running {
  readonly kind = 'running';
  readonly #free: () => void;
  #ended: Promise<void> | null = null;
  #tell: () => void = () => undefined;

  constructor(free: () => void) {
    this.#free = free;
  }

  /** Created only if a request waits, because hardly any request has a twin. */
  get ended(): Promise<void> {
    this.#ended ??= new Promise((resolve) => {
      this.#tell = resolve;
    });
    return this.#ended;
  }

  end(): void {
    this.#free();
    this.#tell();
  }
}

/** The requests of this process that run under a key; the commit detects those of other processes. */
export class RunningKeys {
  readonly #running = new Map<string, Running>();

  /**
   * Holds the key until `end`, immediately or after waiting for a request that runs under the same key. Refused
   * if the wait is too long.
   */
  begin(workspace: string, key: string): Running | Promise<Running | Refusal> {
    const name = `${workspace} ${key}`;
    return this.#running.has(name) ? this.#beginAfter(name) : this.#begin(name);
  }

  async #beginAfter(name: string): Promise<Running | Refusal> {
    const giveUpAtMs = performance.now() + WAIT_FOR_TWIN_MS;
    for (let twin = this.#running.get(name); twin !== undefined; twin = this.#running.get(name)) {
      if (!(await endsBefore(twin.ended, giveUpAtMs))) return IN_FLIGHT;
    }
    return this.#begin(name);
  }

  #begin(name: string): Running {
    const running = new Running(() => this.#running.delete(name));
    this.#running.set(name, running);
    return running;
  }
}

function endsBefore(running: Promise<void>, giveUpAtMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), Math.max(0, giveUpAtMs - performance.now()));
    void running.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

const IN_FLIGHT: Refusal = refuseFor(
  1_000,
  'request_in_flight',
  'the first request with this `Idempotency-Key` is still running; try again',
);

export const KEY_REUSED: Refusal = refuse(
  'idempotency_key_reused',
  'this `Idempotency-Key` was used for another request; use a new one',
);

/** The clock may be that far behind the log. */
const VALID_MS_MAX = ALLOW_MS_MAX + BEHIND_MS_MAX;

/**
 * INVARIANT: an allow that would be valid for longer than any allow came from a clock that was ahead, and does
 * not count. A time that is not a number is never valid.
 */
export function isValidAt(validUntilMs: number, nowMs: number): boolean {
  return nowMs < validUntilMs && validUntilMs <= nowMs + VALID_MS_MAX;
}
