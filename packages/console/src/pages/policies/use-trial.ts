/** Replays the last 30 days under an edited bundle, and follows the run. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Failure, failureHere } from '../../api.ts';
import { cancelRun, type RunAndReport, readRun, startRun } from '../../calls/impact.ts';
import { read } from '../../components/policy/policy-desk.ts';

const LOOK_EVERY_MS = 500;
const TRY_EVERY_MS = 1_000;

export type Trial = ReturnType<typeof useTrial>;

interface Found {
  /** The text that was tried. */
  readonly of: string;
  readonly shown: RunAndReport | null;
  readonly failure: Failure | null;
}

/**
 * `text` is what Apply would apply; once it is live, its trial ends.
 * INVARIANT: a report about another text is never shown.
 */
export function useTrial(text: string, isLive: boolean) {
  const [found, setFound] = useState<Found | null>(null);
  /** Null if none runs. */
  const [runningId, setRunningId] = useState<string | null>(null);
  const [isStarting, setIsStarting] = useState(false);
  /** Null once the text is live, or the page is left. */
  const wanted = useRef<string | null>(text);
  wanted.current = isLive ? null : text;
  useEffect(
    () => () => {
      wanted.current = null;
    },
    [],
  );

  const follow = async (id: string) => {
    while (wanted.current === text) {
      const outcome = await readRun(id);
      const isOver = outcome.kind === 'failure' || outcome.value.run.state !== 'running';
      setFound(
        outcome.kind === 'failure'
          ? { of: text, shown: null, failure: outcome }
          : { of: text, shown: outcome.value, failure: null },
      );
      if (isOver) break;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    // A workspace runs one trial at a time, so cancel an abandoned one.
    if (wanted.current !== text) await cancelRun(id);
    setRunningId(null);
  };
  const start = async () => {
    setFound(null);
    setIsStarting(true);
    const documents = await read(text);
    // Tests decide nothing, and a failing one is no reason not to look.
    const deciding = documents?.filter(
      (document) => (document as { readonly kind?: unknown }).kind !== 'PolicyTest',
    );
    let started = deciding === undefined ? UNREADABLE : await startRun(deciding);
    // The other run may be one of this page, which is being cancelled.
    while (deciding !== undefined && isOtherRunning(started) && wanted.current === text) {
      setFound({ of: text, shown: null, failure: started });
      await new Promise((resolve) => setTimeout(resolve, TRY_EVERY_MS));
      started = await startRun(deciding);
    }
    setIsStarting(false);
    if (started.kind === 'failure') {
      setFound({ of: text, shown: null, failure: started });
      return;
    }
    setFound(null);
    setRunningId(started.value.run.id);
    await follow(started.value.run.id);
  };
  const { shown, failure } = found?.of === text ? found : { shown: null, failure: null };
  /** Whether there is no result yet, and none failed. */
  const isPending = failure === null && (shown === null || shown.run.state === 'running');
  return { shown, failure, runningId, isStarting, isPending, start };
}

function isOtherRunning(started: Awaited<ReturnType<typeof startRun>>): started is Failure {
  return started.kind === 'failure' && started.code === 'run_in_progress';
}

const UNREADABLE = failureHere('not_understood', 'this page could not read the policy text');
