/** Replays the last 7 days under an edited bundle. */
import type { ImpactReport } from '@writecheck/api';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Failure, failureHere } from '../../api.ts';
import { type Progress, tryBundle } from '../../calls/impact.ts';
import { read } from '../../components/policy/policy-desk.ts';

const TRY_EVERY_MS = 1_000;

export type Trial = ReturnType<typeof useTrial>;

interface Found {
  /** The text that was tried. */
  readonly of: string;
  readonly progress: Progress | null;
  readonly report: ImpactReport | null;
  readonly failure: Failure | null;
}

const NOTHING = { progress: null, report: null, failure: null };

/**
 * `text` is what Apply would apply; once it is live, or changes, its trial ends.
 * INVARIANT: a report about another text is never shown.
 */
export function useTrial(text: string, isLive: boolean) {
  const [found, setFound] = useState<Found | null>(null);
  const [isRunning, setIsRunning] = useState(false);
  const running = useRef<AbortController | null>(null);
  const stop = () => {
    running.current?.abort();
    running.current = null;
    setIsRunning(false);
  };
  useEffect(() => stop, [text, isLive]);

  const start = async () => {
    stop();
    const own = new AbortController();
    running.current = own;
    setIsRunning(true);
    setFound({ of: text, ...NOTHING });
    const documents = await read(text);
    // Tests decide nothing, and a failing one is no reason not to look.
    const deciding = documents?.filter(
      (document) => (document as { readonly kind?: unknown }).kind !== 'PolicyTest',
    );
    const onProgress = (progress: Progress) => setFound({ of: text, ...NOTHING, progress });
    while (!own.signal.aborted) {
      const reply = deciding === undefined ? UNREADABLE : await tryBundle(deciding, onProgress, own.signal);
      if (own.signal.aborted) return;
      const isFailure = reply.kind === 'failure';
      setFound({
        of: text,
        ...NOTHING,
        ...(isFailure ? { failure: reply } : { report: reply.value }),
      });
      if (!isFailure || reply.code !== 'run_in_progress') break;
      // A workspace runs one trial at a time; the other one may be of this page, and about to end.
      await new Promise((resolve) => setTimeout(resolve, TRY_EVERY_MS));
    }
    if (running.current === own) setIsRunning(false);
  };
  const { progress, report, failure } = found?.of === text ? found : NOTHING;
  /** Whether there is no result yet, and none failed. */
  const isPending = failure === null && report === null;
  return { progress, report, failure, isRunning, isPending, start, stop };
}

const UNREADABLE = failureHere('not_understood', 'this page could not read the policy text');
