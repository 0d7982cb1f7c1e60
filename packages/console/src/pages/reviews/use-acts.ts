/** Runs one change of a review at a time and keeps how it ended. */

import { useRef, useState } from 'preact/hooks';
import type { Reply } from '../../api.ts';
import { useAct } from '../../use-act.ts';

export type Act = ReturnType<typeof useActs>;

/** `read` is what was read last. */
export function useActs(read: unknown, reload: () => void) {
  const { isBusy, failure, act } = useAct();
  const latest = useRef(read);
  latest.current = read;
  const readThen = useRef<unknown>(null);
  /** Whether the last one got no response, and the review was not read since. */
  const isUnknown = failure?.code === 'unreachable' && readThen.current === read;
  const [done, setDone] = useState<string | null>(null);
  return {
    /** Also while it is unknown how the last one ended. */
    isBusy: isBusy || isUnknown,
    isUnknown,
    failure,
    done,
    /** Resolves to whether it worked. */
    async run(said: string, change: () => Promise<Reply<unknown>>): Promise<boolean> {
      setDone(null);
      const { kind } = await act(change(), () => setDone(said));
      readThen.current = latest.current;
      // After a failure too: somebody else may have closed the review.
      reload();
      return kind === 'success';
    },
  };
}
