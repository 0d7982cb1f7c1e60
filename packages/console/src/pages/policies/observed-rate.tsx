/** How often an observing profile would have stopped a write, measured on request: each measurement is an entry of the log. */
import type { Assessment } from '@writecheck/api';
import { useState } from 'preact/hooks';
import { assess } from '../../calls/impact.ts';
import { FieldFault } from '../../components/field-fault.tsx';
import { Moment } from '../../components/moment.tsx';
import { useAct } from '../../use-act.ts';
import { percent } from './promote-profile.tsx';
import { OTHER_RUN } from './run-failure.tsx';

export function ObservedRate({
  profile,
  isOff,
  onMeasuring,
}: {
  readonly profile: string;
  /** Whether another profile is being measured. */
  readonly isOff: boolean;
  readonly onMeasuring: (isMeasuring: boolean) => void;
}) {
  const [assessment, setAssessment] = useState<Assessment | null>(null);
  const { isBusy, failure, act } = useAct();
  const measure = async () => {
    onMeasuring(true);
    await act(assess(profile), (assessed) => setAssessment(assessed.assessment));
    onMeasuring(false);
  };
  if (assessment !== null) return <Rate assessment={assessment} />;
  return (
    <>
      <button type="button" class="small" disabled={isBusy || isOff} onClick={measure}>
        {isBusy ? 'Measuring …' : 'Measure its share'}
        <span class="hidden"> of {profile}</span>
      </button>
      <FieldFault
        text={failure === null ? null : failure.code === 'run_in_progress' ? OTHER_RUN : failure.message}
      />
    </>
  );
}

function Rate({ assessment: { decisions, stopped, observingSince } }: { readonly assessment: Assessment }) {
  if (decisions === 0) return <span class="quiet">It has applied to no write yet.</span>;
  return (
    <span role="status">
      <strong>{percent(stopped.share)}</strong> stopped
      <span class="line quiet small-text">
        {stopped.decisions.toLocaleString('en')} of {decisions.toLocaleString('en')} writes since{' '}
        <Moment at={observingSince} />
      </span>
    </span>
  );
}
