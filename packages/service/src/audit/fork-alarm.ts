/** Raised if a log turns out not to be the signed one; from then on no thread of the process appends. */
import { type Store, StoreUnavailable } from '../store/port.ts';

export class ForkAlarm {
  /** In a form that crosses to other threads. */
  readonly shared: SharedArrayBuffer;
  readonly #raised: Int32Array;

  constructor(shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#raised = new Int32Array(shared);
  }

  get isRaised(): boolean {
    return Atomics.load(this.#raised, 0) !== 0;
  }

  /** For good: only a person who has inspected the data can tell which log is right. */
  raise(): void {
    Atomics.store(this.#raised, 0, 1);
  }
}

const APPENDING = [
  'commit',
  'redeem',
  'changeReviews',
  'changePerson',
  'finishRun',
  'appendPolicy',
  'createKey',
  'revokeKey',
  'rotateKey',
  'revokeAttestation',
  'createWebhook',
  'changeWebhook',
  'deleteWebhook',
] as const satisfies readonly (keyof Store)[];

export const FORKED =
  'the log is not the one that was signed; stop all replicas, inspect the data, then run `audit restore`';

/**
 * A store that appends nothing once the alarm is raised. INVARIANT: it holds for open connections too, because every
 * append comes through here.
 */
export function refuseWhenForked(store: Store, alarm: ForkAlarm): Store {
  const guarded = Object.create(store) as Store;
  for (const name of APPENDING) {
    const append = store[name] as (...args: readonly unknown[]) => Promise<unknown>;
    const value = async (...args: readonly unknown[]) => {
      if (alarm.isRaised) throw new StoreUnavailable('lost', FORKED);
      const appended = await append(...args);
      // It may have been found out meanwhile: what was appended then proves nothing.
      if (alarm.isRaised) throw new StoreUnavailable('lost', FORKED);
      return appended;
    };
    Object.defineProperty(guarded, name, { value });
  }
  return guarded;
}
