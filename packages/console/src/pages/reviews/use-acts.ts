/** Runs one change of a review at a time and keeps how it ended. */
import { useState } from 'preact/hooks';
import type { Failure, Reply } from '../../api.ts';

export interface Act {
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  readonly done: string | null;
  /** Resolves to whether it worked. */
  readonly run: (done: string, change: () => Promise<Reply<unknown>>) => Promise<boolean>;
}

export function useActs(reload: () => void): Act {
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [done, setDone] = useState<string | null>(null);
  return {
    isBusy,
    failure,
    done,
    async run(said, change) {
      setIsBusy(true);
      setFailure(null);
      setDone(null);
      const outcome = await change();
      setIsBusy(false);
      if (outcome.kind === 'failure') setFailure(outcome);
      else setDone(said);
      // After a failure too: somebody else may have closed the review.
      reload();
      return outcome.kind === 'success';
    },
  };
}
