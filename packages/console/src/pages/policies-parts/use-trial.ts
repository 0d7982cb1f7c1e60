/** Replays the last 30 days under an edited bundle, and follows the run. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../../api.ts';
import { cancelRun, type RunAndReport, readRun, startRun } from './impact-api.ts';
import { read } from './policy-desk.ts';

const LOOK_EVERY_MS = 500;

export interface Trial {
  readonly shown: RunAndReport | null;
  readonly failure: Failure | null;
  /** Null if none runs. */
  readonly runningId: string | null;
  readonly isStarting: boolean;
  readonly start: () => Promise<void>;
}

/** `text` is what Apply would apply. */
export function useTrial(text: string): Trial {
  const [failure, setFailure] = useState<Failure | null>(null);
  const [shown, setShown] = useState<RunAndReport | null>(null);
  const [runningId, setRunningId] = useState<string | null>(null);
  const [isStarting, setIsStarting] = useState(false);
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  // A report about an earlier text says nothing about this one.
  useEffect(() => setShown(null), [text]);

  const follow = async (id: string) => {
    while (!isLeft.current) {
      const outcome = await readRun(id);
      if (outcome.kind === 'failure') {
        setFailure(outcome);
        break;
      }
      setShown(outcome.value);
      if (outcome.value.run.state !== 'running') break;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    // A workspace has one run at a time, so one that nobody waits for makes way.
    if (isLeft.current) cancelRun(id);
    setRunningId(null);
  };
  const start = async () => {
    setFailure(null);
    setShown(null);
    setIsStarting(true);
    const documents = await read(text);
    // Tests decide nothing, and a failing one is no reason not to look.
    const deciding = documents?.filter(
      (document) => (document as { readonly kind?: unknown }).kind !== 'PolicyTest',
    );
    const started = deciding === undefined ? null : await startRun(deciding);
    setIsStarting(false);
    if (started === null) return;
    if (started.kind === 'failure') {
      setFailure(started);
      return;
    }
    setRunningId(started.value.run.id);
    await follow(started.value.run.id);
  };
  return { shown, failure, runningId, isStarting, start };
}
