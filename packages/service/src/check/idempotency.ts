/** Idempotency keys: one request runs per key, and a kept response is replayed only while it still holds. */
import { hash } from 'node:crypto';
import type { PolicySnapshot } from '@writecheck/engine';
import type { Evidence, Policies, StoredAnswer, WorkspacesAndKeys } from '@writecheck/store/port';
import type { Freezes } from '@writecheck/store/port/freezes';
import { type Refusal, refuse } from '../exchange/refusal.ts';
import { KnownFreezes } from '../features/freezes/freeze-book.ts';
import { keysBehind } from '../features/freezes/keys-behind.ts';
import type { Asked } from './parse-request.ts';

export const KEPT_MS = 24 * 60 * 60 * 1_000;
const WAIT_FOR_TWIN_MS = 1_000;
/** A key with an allow that was taken: it never gives a second one. */
export const KEPT_TAKEN_MS = 30 * KEPT_MS;
const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

export function isVisibleAscii(header: string): boolean {
  return VISIBLE_ASCII.test(header);
}

/** Kinds of requests that decide: the same bytes mean something else in another. */
export type CheckFamily = 'check' | 'batch' | 'evaluation' | 'evaluations';

export interface IdempotencyKey {
  /** As sent, after the scope that it belongs to. */
  readonly key: string;
  readonly requestDigest: string;
}

/**
 * Null if the caller sent none. A batch, a check and a redemption with the same bytes are different requests.
 *
 * INVARIANT: its scope is the API key with those that it was rotated from and into, so no other key gets a decision
 * that it could not have got itself.
 */
export function idempotencyKey(
  header: string | undefined,
  family: CheckFamily | 'redeem' | 'freeze',
  body: Uint8Array,
  { lineage }: { readonly lineage: string },
): IdempotencyKey | Refusal | null {
  if (header === undefined) return null;
  if (!isVisibleAscii(header)) {
    return refuse('invalid_request', '`Idempotency-Key` must be 1 to 255 visible ASCII characters');
  }
  return { key: `${lineage}:${header}`, requestDigest: `${family}:${hash('sha256', body)}` };
}

export interface Running {
  readonly kind: 'running';
  readonly end: () => void;
}

/** The requests of this process that run under a key; the commit detects those of other processes. */
export class RunningKeys {
  readonly #running = new Map<string, Promise<void>>();

  /**
   * Waits for a request that runs under the same key, then holds the key until `end`. Refused if the wait is too
   * long.
   */
  async begin(workspace: string, key: string): Promise<Running | Refusal> {
    const name = `${workspace} ${key}`;
    const giveUpAtMs = performance.now() + WAIT_FOR_TWIN_MS;
    for (let twin = this.#running.get(name); twin !== undefined; twin = this.#running.get(name)) {
      if (!(await endsBefore(twin, giveUpAtMs))) return IN_FLIGHT;
    }
    let end = (): void => undefined;
    this.#running.set(
      name,
      new Promise((resolve) => {
        end = () => {
          this.#running.delete(name);
          resolve();
        };
      }),
    );
    return { kind: 'running', end };
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

const IN_FLIGHT: Refusal = {
  ...refuse('request_in_flight', 'the first request with this `Idempotency-Key` is still running; try again'),
  retryAfterMs: 1_000,
};

export const KEY_REUSED: Refusal = refuse(
  'idempotency_key_reused',
  'this `Idempotency-Key` was used for another request; use a new one',
);

/**
 * Names the decision that holds the key, so that a caller who brings new evidence can tell a pause, after which it may
 * ask under another key, from an allow, after which it must not.
 */
function keyReused({ requestDigest, response }: StoredAnswer): Refusal {
  if (!requestDigest.startsWith('check:')) return KEY_REUSED;
  const { decision_id, decision } = JSON.parse(Buffer.from(response).toString()) as Record<string, string>;
  const details = Object.entries({ decision_id, decision }).flatMap(([name, message]) =>
    typeof message === 'string' ? [{ pointer: `/${name}`, message }] : [],
  );
  return { ...KEY_REUSED, details };
}

/** An allow is valid for 5 minutes, and no clock may be more than one minute behind the log. */
const VALID_MS_MAX = 6 * 60_000;

/**
 * INVARIANT: an allow that would be valid for longer than any allow was made by a clock that was ahead, and counts no
 * more. A time that is not a number is never valid.
 */
export function isValidAt(validUntilMs: number, nowMs: number): boolean {
  return nowMs < validUntilMs && validUntilMs <= nowMs + VALID_MS_MAX;
}

/** The stored response, or why it is not replayed. */
export async function replay(
  store: ReplayStore,
  { key, checks, idempotency, context: { nowMs } }: Asked,
  stored: StoredAnswer,
  snapshot: PolicySnapshot,
): Promise<Uint8Array | Refusal> {
  // INVARIANT: only a request with an `Idempotency-Key` has a twin.
  if (stored.requestDigest !== idempotency!.requestDigest) return keyReused(stored);
  const { replayableWhile } = stored;
  if (replayableWhile === null) return stored.response;
  const { workspace } = key;
  const { validUntilMs, policyRef, restsOn, freezeNumber = 0, taken } = replayableWhile;
  const expired = (why: string): Refusal => {
    if (taken !== undefined) return alreadyTaken(taken);
    return refuse('idempotency_key_expired', `${why}; check again with a new \`Idempotency-Key\``);
  };
  if (!isValidAt(validUntilMs, nowMs)) return expired('the stored allow is no longer valid');
  const [running] = policyRef === null ? [] : await store.listPolicies(workspace, 1);
  // A bundle that was replaced and then applied again is another revision.
  const isNewer =
    running !== undefined &&
    running.createdAtMs > stored.expiresAtMs - (taken === undefined ? KEPT_MS : KEPT_TAKEN_MS);
  if (policyRef !== snapshot.digest || isNewer) return expired('the policy changed since the stored allow');
  const states = restsOn.length === 0 ? [] : await store.attestationStates(workspace, restsOn);
  if (states.some(({ revoked }) => revoked)) return expired('evidence of the stored allow was revoked');
  // INVARIANT: a freeze that came after the allow counts, also one that was lifted since. The body is the same as then.
  const newer = new KnownFreezes(await store.freezesAfter(workspace, freezeNumber));
  const keyIds = newer.namesKeys ? await keysBehind(store, key) : [key.id];
  if (checks.some(({ intent }) => newer.matching(intent, keyIds).length > 0))
    return expired('a freeze has stopped writes like this since the stored allow');
  return stored.response;
}

/** A key with an allow that was taken never gives another one: whoever took it may have written. */
function alreadyTaken({
  decisionId,
  redeemedAt,
}: NonNullable<NonNullable<StoredAnswer['replayableWhile']>['taken']>): Refusal {
  const message = `decision ${decisionId} was redeemed at ${redeemedAt}`;
  return refuse('already_redeemed', `${message}; do not write twice`, [{ pointer: '', message }]);
}

type ReplayStore = Pick<Evidence, 'attestationStates'> &
  Pick<Policies, 'listPolicies'> &
  Pick<Freezes, 'freezesAfter'> &
  Pick<WorkspacesAndKeys, 'listKeys'>;
