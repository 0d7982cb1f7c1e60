/** Who can resolve a decision that is not an allow, and how. */
import {
  areLookAlikes,
  type DecisionResponse,
  type FreezeScope,
  REASON_CATALOGUE,
  type Remediation,
  type WriteIntent,
} from '@writecheck/contract';
import { CallerText } from '../../components/caller-text.tsx';
import { Moment } from '../../components/moment.tsx';
import { Told } from '../../components/told.tsx';
import { inWords } from '../../picture/durations.ts';
import { freezing } from '../../state/freezing.ts';
import { useRight } from '../../state/rights.ts';
import { href } from '../../state/route.ts';
import { ReviewOfDecision } from '../reviews-parts/review-of-decision.tsx';

export function WhatNow({
  response,
  intent,
  keyId,
  isTaken,
}: {
  readonly response: DecisionResponse;
  readonly intent: WriteIntent;
  readonly keyId: string;
  /** Whether the allow was redeemed. */
  readonly isTaken: boolean;
}) {
  const mayFreeze = useRight('createFreeze');
  const areTwins =
    response.reason_code === 'authority_mismatch' && areLookAlikes(intent.agentValue, intent.authorityValue);
  return (
    <section class="card" aria-labelledby="what-now">
      <h2 id="what-now">What now</h2>
      {response.decision === 'allow' ? (
        <Allowed response={response} isTaken={isTaken} />
      ) : areTwins ? (
        <LookAlike source={intent.authoritySource} decisionId={response.decision_id} />
      ) : (
        <Stopped response={response} />
      )}
      {response.decision !== 'block' && !areTwins && <ReviewOfDecision response={response} />}
      <p class="no-print">
        <a href={href('/playground', { decision: response.decision_id })}>Try it in the playground</a>{' '}
        <span class="quiet">to run it again under today’s policies</span>
      </p>
      {mayFreeze && (
        <p class="no-print">
          <button type="button" class="small" onClick={() => freezing.set(scopeOf(intent, keyId))}>
            Freeze writes like this …
          </button>
        </p>
      )}
    </section>
  );
}

/** The same member or operation of the same system, by the same agent. */
function scopeOf({ system, operation, field }: WriteIntent, keyId: string): FreezeScope {
  return {
    system,
    ...(operation === undefined ? {} : { operation }),
    ...(field === undefined ? {} : { field }),
    keyId,
  };
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

function LookAlike({
  source,
  decisionId,
}: {
  readonly source: string | undefined;
  readonly decisionId: string;
}) {
  return (
    <div class="note note-bad">
      <p>
        <strong>This looks like an attempt to pass off another value.</strong>
      </p>
      <p>
        Do not change {source === undefined ? 'the source of record' : <CallerText text={source} />}. Tell
        your security team, and keep the decision ID <code>{decisionId}</code>.
      </p>
    </div>
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
  return `Next step: check \`${controlId}\`${where} again${age}.`;
}

function Stopped({ response }: { readonly response: DecisionResponse }) {
  const remedies = (response.remediation ?? []).filter(({ action }) => action !== 'inform');
  const who = [...new Set(remedies.map(({ action }) => WHO[action]))];
  const action = REASON_CATALOGUE[response.reason_code]?.action;
  const own = remedies.map(stepOf).filter((step) => step !== null);
  const steps = own.length > 0 || action === undefined ? own : [`Next step: ${action}.`];
  return (
    <>
      {response.review === undefined ? (
        <p>
          <strong>{response.decision === 'block' ? 'Blocked.' : 'Paused.'}</strong>{' '}
          {who.join(' and ') || 'The agent'} must act
          {response.decision === 'block' ? '; the agent must not retry unchanged' : ''}.
        </p>
      ) : (
        <p>
          <strong>A review decides this write.</strong>
          {remedies.length > response.review.controls.length && ' The agent must supply the rest.'}
        </p>
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
