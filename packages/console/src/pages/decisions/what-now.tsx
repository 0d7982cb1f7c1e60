/** Who can resolve a decision that is not an allow, and how. */
import {
  type ControlEvaluation,
  type DecisionResponse,
  REASON_CATALOGUE,
  type Remediation,
  type WriteIntent,
} from '@writecheck/contract';
import { FreezeLike } from '../../components/freeze/freeze-like.tsx';
import { controlInWords } from '../../components/member-labels.ts';
import { Moment } from '../../components/moment.tsx';
import { Section } from '../../components/page.tsx';
import { quoted } from '../../components/quoted.ts';
import { CallerText, Told } from '../../components/text.tsx';
import { inWords } from '../../picture/durations.ts';
import { href } from '../../state/route.ts';
import { ReviewOfDecision } from './review-of-decision.tsx';

export function WhatNow({
  response,
  intent,
  keyId,
  agent,
  isTaken,
  isSuspect,
  children,
}: {
  readonly response: DecisionResponse;
  readonly intent: WriteIntent;
  readonly keyId: string;
  /** What to call the key. */
  readonly agent: string;
  /** Whether the allow was redeemed. */
  readonly isTaken: boolean;
  /** Whether an `Alarm` above says what to do. */
  readonly isSuspect: boolean;
  /** What became of it. */
  readonly children?: preact.ComponentChildren;
}) {
  return (
    <Section title="What now">
      {response.decision === 'allow' ? (
        <Allowed response={response} isTaken={isTaken} />
      ) : (
        !isSuspect && <Stopped response={response} />
      )}
      {response.decision !== 'block' && !isSuspect && (
        <ReviewOfDecision response={response} isSuspect={false} />
      )}
      {children}
      <div class="row no-print">
        <FreezeLike
          intent={{ ...intent }}
          keyId={keyId}
          agent={agent}
          isFolded={!isSuspect && response.decision !== 'block'}
        />
        <span>
          <a href={href('/playground', { decision: response.decision_id })}>Try it in the playground</a>{' '}
          <span class="quiet">under today’s policies</span>
        </span>
      </div>
    </Section>
  );
}

function Allowed({ response, isTaken }: { readonly response: DecisionResponse; readonly isTaken: boolean }) {
  const { validUntil } = response;
  if (isTaken) return <p>Nothing. The agent took this allow; another write needs another check.</p>;
  if (validUntil === undefined) return <p>Nothing. The agent may write.</p>;
  const isOver = Date.parse(validUntil) <= Date.now();
  return (
    <p>
      Nothing. {isOver ? 'The agent could write until' : 'The agent may write until'}{' '}
      <Moment at={validUntil} as="full" />
      {isOver ? '; it must check again before another try.' : '.'}
    </p>
  );
}

/** Above all else on a decision about a look-alike value. */
export function Alarm({
  source,
  response,
}: {
  readonly source: string | undefined;
  readonly response: DecisionResponse;
}) {
  return (
    <Section kind="note note-bad" title="This looks like an attempt to pass off another value.">
      <p>
        Do not change {source === undefined ? 'the source of record' : <CallerText text={source} />}. Tell
        your security team, and keep the decision ID <code>{response.decision_id}</code>.
      </p>
      {response.decision !== 'block' && <ReviewOfDecision response={response} isSuspect />}
    </Section>
  );
}

const WHO: { readonly [action in Remediation['action']]: string } = {
  supply: 'The agent',
  correct: 'The agent',
  withdraw: 'A reviewer',
  operator: 'A policy author',
  inform: 'The agent',
};

/** What to do about one control that was not satisfied; null for what the timeline says as well. */
function stepOf({ action, gate, controlId, acceptedSources, maxAgeSeconds }: Remediation): string | null {
  if (action !== 'supply' || gate !== 'control' || controlId === undefined) return null;
  const where =
    acceptedSources === undefined ? '' : ` in ${acceptedSources.map((each) => `\`${each}\``).join(' or ')}`;
  const age = maxAgeSeconds === undefined ? '' : `; at most ${inWords(maxAgeSeconds * 1_000)} old`;
  return `Next step: repeat ${quoted(controlInWords(controlId))}${where}${age}.`;
}

/** A check that failed is cleared up where it was made. */
function whyFailed({ controlId, status, source }: ControlEvaluation): readonly string[] {
  if (status !== 'failed') return [];
  const where = source === undefined ? '' : ` in ${quoted(source)}`;
  return [
    `Next step: find out why ${quoted(controlInWords(controlId))} failed${where}, then ask again with a new check.`,
  ];
}

function Stopped({ response }: { readonly response: DecisionResponse }) {
  const remedies = (response.remediation ?? []).filter(({ action }) => action !== 'inform');
  const who = [...new Set(remedies.map(({ action }) => WHO[action]))];
  const action = REASON_CATALOGUE[response.reason_code]?.action;
  const own =
    response.decision === 'block'
      ? response.controlEvaluations.flatMap(whyFailed)
      : remedies.map(stepOf).filter((step) => step !== null);
  const steps = own.length > 0 || action === undefined ? own : [`Next step: ${action}.`];
  return (
    <>
      {response.review === undefined && (
        <p>
          <strong>{response.decision === 'block' ? 'Blocked.' : 'Paused.'}</strong>{' '}
          {response.decision === 'block'
            ? 'No approval lifts this, and the agent must not retry unchanged.'
            : `${who.join(' and ') || 'The agent'} must act.`}
        </p>
      )}
      {response.review !== undefined && remedies.length > response.review.controls.length && (
        <p>The agent must supply the rest.</p>
      )}
      {response.review === undefined && steps.length > 0 && (
        <ul class="brief">
          {steps.map((step) => (
            <li key={step}>
              <Told text={step} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
