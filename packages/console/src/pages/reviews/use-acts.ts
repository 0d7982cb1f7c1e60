/** Runs one change of a review at a time and keeps how it ended. */

import { useRef, useState } from 'preact/hooks';
import type { Failure, Reply } from '../../api.ts';
import { useAct } from '../../use-act.ts';

export interface Act {
  /** Also while it is unknown how the last one ended. */
  readonly isBusy: boolean;
  /** Whether the last one got no response, and the review was not read since. */
  readonly isUnknown: boolean;
  readonly failure: Failure | null;
  readonly done: string | null;
  /** Resolves to whether it worked. */
  readonly run: (done: string, change: () => Promise<Reply<unknown>>) => Promise<boolean>;
}

/** `read` is what was read last. */
export function useActs(read: unknown, reload: () => void): Act {
  const { isBusy, failure, act } = useAct();
  const latest = useRef(read);
  latest.current = read;
  const readThen = useRef<unknown>(null);
  const isUnknown = failure?.code === 'unreachable' && readThen.current === read;
  const [done, setDone] = useState<string | null>(null);
  return {
    isBusy: isBusy || isUnknown,
    isUnknown,
    failure,
    done,
    async run(said, change) {
      setDone(null);
      const { kind } = await act(change(), () => setDone(said));
      readThen.current = latest.current;
      // After a failure too: somebody else may have closed the review.
      reload();
      return kind === 'success';
    },
  };
}
