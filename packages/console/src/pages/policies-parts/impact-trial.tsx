/** Tries the edited bundle on recorded traffic before it is applied, and shows what would change. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { cancelRun, type RunAndReport, readRun, startRun } from './impact-api.ts';
import { ImpactReport } from './impact-report.tsx';
import { read } from './policy-desk.ts';
import './impact.css';

const LOOK_EVERY_MS = 500;

/** `text` is what Apply would apply. */
export function ImpactTrial({ text, isValid }: { readonly text: string; readonly isValid: boolean }) {
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
  return (
    <>
      {runningId === null ? (
        <button type="button" disabled={!isValid || isStarting} onClick={start}>
          Try it on the last 30 days
        </button>
      ) : (
        <button type="button" onClick={() => cancelRun(runningId)}>
          Stop the trial
        </button>
      )}
      {failure !== null && (
        <div class="impact">
          <ErrorNote failure={failure} />
        </div>
      )}
      {shown !== null && <ImpactReport shown={shown} />}
    </>
  );
}
