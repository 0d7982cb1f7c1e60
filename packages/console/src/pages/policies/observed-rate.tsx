/** How often an observing profile would have stopped a write, measured on request: each measurement is an entry of the log. */
import type { Assessment } from '@writecheck/api';
import { useState } from 'preact/hooks';
import { assess } from '../../calls/impact.ts';
import { FieldFault } from '../../components/field-fault.tsx';
import { Moment } from '../../components/moment.tsx';
import { useAct } from '../../use-act.ts';
import { percent } from './promote-profile.tsx';

export function ObservedRate({ profile }: { readonly profile: string }) {
  const [assessment, setAssessment] = useState<Assessment | null>(null);
  const { isBusy, failure, act } = useAct();
  const measure = () => act(assess(profile), (assessed) => setAssessment(assessed.assessment));
  if (assessment !== null) return <Rate assessment={assessment} />;
  return (
    <>
      <button type="button" class="small" disabled={isBusy} onClick={measure}>
        {isBusy ? 'Measuring …' : 'Measure'}
        <span class="hidden"> {profile}</span>
      </button>
      <FieldFault
        text={
          failure === null
            ? null
            : failure.code === 'run_in_progress'
              ? 'Another trial is running. Try again when it is done.'
              : failure.message
        }
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
