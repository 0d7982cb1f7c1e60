/** Shows how an observing profile has done, and makes it enforce. */

import type { Assessment } from '@writecheck/api';
import { DAY_MS } from '@writecheck/contract';
import { useState } from 'preact/hooks';
import { type Assessed, assess, enforce } from '../../calls/impact.ts';
import { AskFirst } from '../../components/ask-first.tsx';
import { counted } from '../../components/counted.ts';
import { DataTable } from '../../components/data-table.tsx';
import { reasonLabel } from '../../components/decision/reason-labels.ts';
import { Moment } from '../../components/moment.tsx';
import { Skeleton } from '../../components/page.tsx';
import { CallerText } from '../../components/text.tsx';
import { href } from '../../state/route.ts';
import { useAct } from '../../use-act.ts';
import { useLoad } from '../../use-load.ts';
import { LooseningDialog } from './loosening-dialog.tsx';
import { RunFailure } from './run-failure.tsx';

export function PromoteProfile({
  profile,
  onDone,
  onClose,
}: {
  readonly profile: string;
  readonly onDone: (revision: number) => void;
  readonly onClose: () => void;
}) {
  const load = useLoad(`assess ${profile}`, (signal) => assess(profile, signal));
  return (
    <section class="card" aria-labelledby="promote">
      <div class="row title-row">
        <h2 id="promote">Is {profile} ready to enforce?</h2>
        <button type="button" class="small" onClick={onClose}>
          Close
        </button>
      </div>
      <RunFailure failure={load.failure} onRetry={load.reload} />
      {load.value === null ? (
        load.failure === null && <Skeleton />
      ) : (
        <Assessing key={load.value.ifMatch} profile={profile} assessed={load.value} onDone={onDone} />
      )}
    </section>
  );
}

function Assessing({
  profile,
  assessed,
  onDone,
}: {
  readonly profile: string;
  readonly assessed: Assessed;
  readonly onDone: (revision: number) => void;
}) {
  const { assessment } = assessed;
  const [isConfirming, setIsConfirming] = useState(false);
  const { isBusy, failure, act, forget } = useAct();
  const isReady = assessment.verdict === 'ready';
  const apply = (confirmLoosening: boolean) => {
    setIsConfirming(false);
    const sent = enforce(profile, assessed.ifMatch, { force: !isReady, confirmLoosening });
    act(sent, ({ applied }) => onDone(applied?.revision ?? 0));
  };
  const stopped = assessment.stopped.decisions;
  return (
    <>
      <p class={isReady ? 'note note-good' : 'note note-warn'}>
        <strong>{isReady ? 'Ready.' : 'Not ready yet.'}</strong>{' '}
        {isReady
          ? 'It meets every threshold.'
          : 'It misses a default threshold. A rule that is meant to stop most writes misses the last one.'}
      </p>
      <Thresholds assessment={assessment} />
      {stopped > 0 && <WouldStop assessment={assessment} />}
      {failure !== null && failure.code === 'loosening_unconfirmed' ? (
        <LooseningDialog
          details={failure.details}
          action="Enforce"
          onConfirm={() => apply(true)}
          onCancel={forget}
        />
      ) : (
        <RunFailure failure={failure} />
      )}
      <div class="row">
        <button
          type="button"
          class={isReady ? 'primary' : ''}
          disabled={isBusy}
          onClick={() => setIsConfirming(true)}
        >
          {isBusy ? 'Applying …' : isReady ? 'Enforce …' : 'Enforce anyway …'}
        </button>
      </div>
      {isConfirming && (
        <AskFirst
          title={`Enforce ${profile}?`}
          action={isReady ? 'Enforce' : 'Enforce anyway'}
          isDangerous={!isReady}
          onConfirm={() => apply(false)}
          onCancel={() => setIsConfirming(false)}
        >
          <p>
            It stops writes from now on, as a new revision. In the time it observed it would have stopped{' '}
            {stopped.toLocaleString('en')} of {assessment.decisions.toLocaleString('en')}.
          </p>
          {!isReady && <p>The revision records that it was forced.</p>}
        </AskFirst>
      )}
    </>
  );
}

function Thresholds({ assessment }: { readonly assessment: Assessment }) {
  const { thresholds, stopped, observingSince, assessedAt, decisions, reasons } = assessment;
  const days = Math.floor((Date.parse(assessedAt) - Date.parse(observingSince)) / DAY_MS);
  const rows = [
    {
      code: 'days',
      name: 'Observed for',
      have: (
        <>
          {counted(days, 'day')}, since <Moment at={observingSince} />
        </>
      ),
      need: `at least ${thresholds.minDays}`,
    },
    {
      code: 'decisions',
      name: 'Writes it applied to',
      have: decisions.toLocaleString('en'),
      need: `at least ${thresholds.minDecisions.toLocaleString('en')}`,
    },
    {
      code: 'stopped',
      name: 'Would have stopped',
      have: `${stopped.decisions.toLocaleString('en')}, ${percent(stopped.share)}`,
      need: `at most ${percent(thresholds.maxStopped)}`,
    },
  ];
  return (
    <DataTable
      kind=""
      caption="Thresholds"
      rows={rows}
      idOf={({ code }) => code}
      columns={[
        { head: 'Measure', isName: true, cell: ({ name }) => name },
        { head: 'So far', cell: ({ have }) => have },
        {
          head: 'Needed',
          cell: ({ code, need }) => (
            <>
              {need}{' '}
              {reasons.some((reason) => reason.code === code) ? (
                <strong class="pause met">missed</strong>
              ) : (
                <span class="allow met">met</span>
              )}
            </>
          ),
        },
      ]}
    />
  );
}

function WouldStop({ assessment: { stopped, byKey } }: { readonly assessment: Assessment }) {
  return (
    <>
      <h3>What it would have stopped</h3>
      <p>
        {stopped.byCode
          .map(({ code, decisions }) => `${reasonLabel(code)} ${decisions.toLocaleString('en')}`)
          .join(' · ')}
        {stopped.redeemed + stopped.approved > 0 && (
          <span class="quiet">
            {' '}
            Of these, {stopped.redeemed} went ahead and {stopped.approved} were approved in a review.
          </span>
        )}
      </p>
      <DataTable
        kind=""
        caption="By key"
        rows={byKey}
        idOf={({ keyId }) => keyId}
        columns={[
          {
            head: 'Agent',
            isName: true,
            cell: ({ keyId, name }) => (
              <a href={href(`/agents/${keyId}`)}>
                <CallerText text={name ?? keyId} />
              </a>
            ),
          },
          {
            head: 'Writes',
            kind: 'number',
            cell: ({ decisions }) => decisions.toLocaleString('en'),
          },
          {
            head: 'Would stop',
            kind: 'number',
            cell: ({ stopped: own }) => own.toLocaleString('en'),
          },
        ]}
      />
    </>
  );
}

export function percent(share: number): string {
  return `${(share * 100).toLocaleString('en', { maximumFractionDigits: 1 })} %`;
}
