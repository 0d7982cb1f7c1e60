/** Asks before a change that may loosen the policy, with what it would have changed and examples of writes it would no longer stop. */

import type { ProblemDetail } from '@writecheck/contract';
import type { LoosenedExample } from '@writecheck/engine';
import { useState } from 'preact/hooks';
import { listDecisions } from '../../calls/decisions.ts';
import type { LooseningDetail } from '../../calls/policies.ts';
import { AskFirst } from '../../components/ask-first.tsx';
import { reasonLabel } from '../../components/decision/reason-labels.ts';
import { rangeOf } from '../../components/decision/time-range.ts';
import { WriteTitle } from '../../components/decision/write-title.tsx';
import { OUTCOMES_IN_WORDS } from '../../components/decision-badge.tsx';
import { TextField } from '../../components/field.tsx';
import type { DocumentChange } from '../../components/policy/examine-policies.ts';
import { quoted } from '../../components/quoted.ts';
import { BriefCallerText, RevealedText, Told } from '../../components/text.tsx';
import { inWords } from '../../picture/durations.ts';
import { useSession } from '../../state/session.ts';
import { useLoad } from '../../use-load.ts';
import { HandOver } from './hand-over.tsx';
import { ImpactLine } from './impact-line.tsx';
import { Becomes } from './impact-report.tsx';
import { OutdatedReviews } from './outdated-reviews.tsx';
import type { Trial } from './use-trial.ts';

const REASON_MAX = 256;

/** Only an owner may confirm a loosening; an owner key belongs to no person. */
export function useMayLoosen(): boolean {
  const person = useSession()?.person;
  return person === undefined || person.roles.includes('owner');
}

export function LooseningDialog({
  details: given,
  what = 'This change',
  action,
  reason = null,
  edited = null,
  children,
  onConfirm,
  onCancel,
}: {
  /** What the service says, or this page found. */
  readonly details: readonly ProblemDetail[];
  /** The subject of the title. */
  readonly what?: string;
  /** Such as `Apply`. */
  readonly action: string;
  /** Kept with the revision; null if what applies it has no place for one. */
  readonly reason?: { readonly text: string; readonly set: (text: string) => void } | null;
  /** What the editor would apply: it is replayed, and an author can hand it over. */
  readonly edited?: {
    readonly text: string;
    readonly trial: Trial;
    readonly outdatedReviews: readonly string[];
    readonly changes: readonly DocumentChange[];
  } | null;
  readonly children?: preact.ComponentChildren;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}) {
  const details = given as readonly LooseningDetail[];
  const [isMissing, setIsMissing] = useState(false);
  const said = reason?.text.trim() ?? '';
  const examples = details.flatMap(({ example }) => (example === undefined ? [] : [example]));
  const told = details.filter(({ example }) => example === undefined);
  // This page compares as the service does, and says the same with numbers.
  const compared = (edited?.changes ?? []).flatMap(({ id, findings }) =>
    findings
      .filter(({ kind }) => kind !== 'tightens')
      .map(({ kind, pointer, message }) => ({
        unclear: kind === 'unclear',
        pointer: `${id} ${pointer}`,
        message: `${quoted(id)}: ${message}`,
      })),
  );
  const isSure =
    told.some(({ unclear }) => unclear !== true) ||
    (edited?.changes ?? []).some(({ findings }) => findings.some(({ kind }) => kind === 'loosens'));
  const mayConfirm = useMayLoosen();
  const confirm = () => {
    if (reason !== null && said === '') setIsMissing(true);
    else onConfirm();
  };
  return (
    <AskFirst
      title={`${what} ${effectOf(isSure, examples.length > 0)}`}
      action={mayConfirm ? `${action} anyway` : null}
      dismissal={mayConfirm ? 'Cancel' : 'Done'}
      isDangerous
      onConfirm={confirm}
      onCancel={onCancel}
    >
      {children}
      <ul class="brief loose-list">
        {(compared.length > 0 ? compared : told).map(({ pointer, message, unclear }) => (
          <li key={`${pointer} ${message}`} class={unclear ? 'pause' : 'block'}>
            <Told text={message} />
          </li>
        ))}
      </ul>
      {edited !== null && (
        <>
          <OutdatedReviews controls={edited.outdatedReviews} />
          <ImpactLine trial={edited.trial} isLoose />
        </>
      )}
      {reason !== null && (mayConfirm || edited !== null) && (
        <TextField
          label={mayConfirm ? 'Reason' : 'Reason (optional)'}
          hint={mayConfirm ? 'kept with the revision' : 'the owner reads it with your change'}
          required={mayConfirm}
          maxLength={REASON_MAX}
          value={reason.text}
          fault={isMissing ? 'Say why. A change that loosens needs a reason.' : null}
          onInput={(next) => {
            reason.set(next);
            setIsMissing(false);
          }}
        />
      )}
      {!mayConfirm &&
        (edited === null ? (
          <p>Only an owner can confirm this.</p>
        ) : (
          <HandOver text={edited.text} message={said} />
        ))}
      <Examples examples={examples} />
    </AskFirst>
  );
}

/** Never from the replay, which ends while the user reads: a title that changes then reads like another dialog. */
function effectOf(isSure: boolean, hasExample: boolean): string {
  if (isSure) return 'loosens your policy';
  return hasExample ? 'loosens your policy: see the example' : 'may loosen your policy';
}

/** Of each origin. */
const SHOWN_MAX = 3;
const EXCEEDED = 'limit_exceeded';
const TITLES = {
  recorded: 'From your log',
  test: 'From your tests',
  constructed: 'Constructed from the rules',
  supposed: 'Writes like these, if the limit were used up',
} as const;

/** Apart by origin: what really happened weighs more than what could. */
export function Examples({ examples }: { readonly examples: readonly LoosenedExample[] }) {
  const byOrigin = Map.groupBy(examples, (example) => (isSupposed(example) ? 'supposed' : example.origin));
  return (Object.keys(TITLES) as (keyof typeof TITLES)[]).map((origin) => {
    const own = byOrigin.get(origin);
    if (own === undefined) return null;
    return (
      <div key={origin} class="stack near examples-of">
        <h3>
          {TITLES[origin]} ({own.length > SHOWN_MAX && `${SHOWN_MAX} of `}
          {own.length})
        </h3>
        {origin === 'supposed' && <NeverReached />}
        <ul class="stack examples">
          {own.slice(0, SHOWN_MAX).map((example) => (
            <Example key={JSON.stringify(example)} example={example} />
          ))}
        </ul>
      </div>
    );
  });
}

/** The comparison supposes a used-up limit, so that even a recorded write need not have been stopped by it. */
function isSupposed({ before }: LoosenedExample): boolean {
  return before.reason_code === EXCEEDED;
}

/** Nothing unless the log shows it. */
function NeverReached() {
  const { value } = useLoad('reached limits', (signal) =>
    listDecisions({ lately: rangeOf('30d'), reason_code: EXCEEDED, limit: '1' }, signal),
  );
  if (value === null || value.decisions.length > 0) return null;
  return <p>Nothing in the last 30 days was stopped by a limit.</p>;
}

function Example({ example }: { readonly example: LoosenedExample }) {
  const { intent, sent, before, recorded } = example;
  const isHistory = recorded?.decision === before.decision;
  const { system, workflowId } = intent;
  return (
    <li>
      <p>
        <strong>
          <WriteTitle target={intent} isBrief hasAmount />
        </strong>
        <span class="quiet">
          {' '}
          in <BriefCallerText text={system} />
          {workflowId !== undefined && (
            <>
              , workflow <BriefCallerText text={workflowId} />
            </>
          )}
        </span>
      </p>
      <p class="row">
        <Becomes
          example={example}
          isHistory={isHistory}
          why={isHistory || isSupposed(example) ? undefined : reasonLabel(before.reason_code)}
        />
        {isHistory && <span class="quiet small-text">was: {reasonLabel(recorded.reason_code)}</span>}
      </p>
      {recorded !== undefined && !isHistory && (
        <p class="quiet small-text">
          At the time: {OUTCOMES_IN_WORDS[recorded.decision].toLowerCase()},{' '}
          {reasonLabel(recorded.reason_code)}
        </p>
      )}
      <p class="quiet small-text">
        <Told text={sent.replaceAll(/\b(\d+) s old\b/g, (_, age) => `${inWords(Number(age) * 1_000)} old`)} />
      </p>
      <details>
        <summary>Intent</summary>
        <pre class="intent-json">
          <RevealedText text={JSON.stringify(intent, null, 2)} areLinesKept />
        </pre>
      </details>
    </li>
  );
}
