/** Tells `/readyz` and the metrics whether this process can decide now, and if not, why. */
import type { Store } from '@writecheck/store/port';
import type { GroupCommit } from '../check/group-commit.ts';
import { clockRefusal, type Refusal, refuse } from '../exchange/refusal.ts';
import type { SteadyClock } from '../support/clocks/steady-clock.ts';
import type { UnreadyReason } from '../support/observability/unready-reasons.ts';

export type Readiness =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'unready';
      readonly why: UnreadyReason;
      readonly refusal: Refusal;
    };

interface ReadinessParts {
  readonly store: Pick<Store, 'health'>;
  readonly clock: Pick<SteadyClock, 'at'>;
  readonly commits: Pick<GroupCommit, 'isFailing'>;
  /** Whether a log turned out not to be the signed one. */
  readonly isForked: () => boolean;
  readonly isServing: () => boolean;
}

const RETRY_AFTER_MS = 1_000;
const PROBE_MS_MAX = 2_000;
/** Anybody may call it, and every probe tries a write, so probes run only a few times a second. */
const LOOK_EVERY_MS = 250;
/**
 * A failed commit makes the service unready only this long: without callers, nothing shows that commits succeed
 * again.
 */
const UNREADY_AFTER_FAILURE_MS = 5_000;

const READY: Readiness = { kind: 'ready' };

/** Takes the time of the system clock. */
export function readinessOf({
  store,
  clock,
  commits,
  isForked,
  isServing,
}: ReadinessParts): (clockMs: number) => Promise<Readiness> {
  let look: Look | null = null;
  const looked = (): Look => {
    const nowMs = performance.now();
    // INVARIANT: one probe at a time; while the store is stuck, more of them would only lengthen its queue.
    if (look === null || (!look.isRunning && nowMs - look.atMs >= LOOK_EVERY_MS))
      look = newLook(store, nowMs);
    return look;
  };
  return async (clockMs) => {
    if (!isServing()) {
      return unready('draining', waiting(refuse('overloaded', 'the service is shutting down')));
    }
    const moment = clock.at(clockMs);
    if (moment.kind !== 'now') return unready(moment.kind, waiting(clockRefusal(moment)));
    if (isForked()) {
      const message = 'the log is not the one that was signed; stop the service and inspect its data';
      return unready('forked', refuse('store_unavailable', message));
    }
    const { atMs, isWritable } = looked();
    if ((await inTime(isWritable)) && !commits.isFailing(UNREADY_AFTER_FAILURE_MS, atMs)) return READY;
    return unready(
      'store',
      waiting(refuse('store_unavailable', 'the store cannot be written to at the moment')),
    );
  };
}

interface Look {
  readonly atMs: number;
  readonly isWritable: Promise<boolean>;
  isRunning: boolean;
}

function newLook(store: Pick<Store, 'health'>, atMs: number): Look {
  const isWritable = store
    .health()
    .then(
      ({ kind }) => kind === 'ok',
      () => false,
    )
    .finally(() => {
      look.isRunning = false;
    });
  const look = { atMs, isWritable, isRunning: true };
  return look;
}

/** False if the store does not respond in time: a prober waits for the response. */
async function inTime(isWritable: Promise<boolean>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), PROBE_MS_MAX);
  try {
    return await Promise.race([isWritable, late]);
  } finally {
    clearTimeout(timer);
  }
}

function unready(why: UnreadyReason, refusal: Refusal): Readiness {
  return { kind: 'unready', why, refusal };
}

function waiting(refusal: Refusal): Refusal {
  return { ...refusal, retryAfterMs: RETRY_AFTER_MS };
}
