/** A store that appends nothing once this process has found that its log is not the signed one. */
import { type Store, StoreUnavailable } from '../store/port.ts';

const APPENDING = [
  'commit',
  'redeem',
  'changeReviews',
  'changePerson',
  'finishRun',
  'appendPolicy',
] as const satisfies readonly (keyof Store)[];

export const FORKED =
  'the log is not the one that was signed; stop all replicas, inspect the data, then run `audit restore`';

/** INVARIANT: it holds for open connections too, because every append comes through here. */
export function refuseWhenForked(store: Store, isForked: () => boolean): Store {
  const guarded = Object.create(store) as Store;
  for (const name of APPENDING) {
    const append = store[name] as (...args: readonly unknown[]) => Promise<unknown>;
    const value = async (...args: readonly unknown[]) => {
      if (isForked()) throw new StoreUnavailable('lost', FORKED);
      const appended = await append(...args);
      // It may have been found out meanwhile: what was appended then proves nothing.
      if (isForked()) throw new StoreUnavailable('lost', FORKED);
      return appended;
    };
    Object.defineProperty(guarded, name, { value });
  }
  return guarded;
}
