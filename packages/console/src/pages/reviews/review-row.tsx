/** The cells of a row about a review. */
import type { Review } from '@writecheck/api';
import { ControlName } from '../../components/control-name.tsx';
import { Value } from '../../components/decision/row-values.tsx';
import { amountOf, noteIn } from '../../components/decision/said-in-intent.ts';
import { WriteTitle } from '../../components/decision/write-title.tsx';
import { mayDo } from '../../components/review/may-do.ts';
import { knownAround } from '../../components/review/read-around.ts';
import { nameOf, whoCan } from '../../components/review/review-words.tsx';
import { StateBadge } from '../../components/review/state-badge.tsx';
import type { Use } from '../../components/review/use-of-approval.ts';
import { isGrave, type WarningKind, warningsOf } from '../../components/review/warnings.ts';
import { BriefCallerText } from '../../components/text.tsx';
import { href } from '../../state/route.ts';
import { useSession } from '../../state/session.ts';
import { agentNameOf } from './order-reviews.ts';

export type RowKind = 'mine' | 'others' | 'closed';

const VALUE_MAX = 40;

/** What a row says of a warning. */
const TAGS: { readonly [kind in WarningKind]: string } = {
  twins: 'looks like the source’s value',
  imitates: 'look-alike characters',
  reversed: 'reversed text',
  hidden: 'hidden characters',
  blocked: 'look-alikes stopped',
  aimed: 'addresses the reviewer',
  differs: 'overrides the source',
  rejected: 'rejected before',
  conflict: 'another value waits',
  repeated: 'allowed before',
  changed: 'changed lately',
  unread: 'not all could be read',
  named: 'other agent name',
  excluded: 'excludes a reviewer',
};

export function Write({
  review,
  kind,
  rivals,
  isFrozen,
  use,
}: {
  readonly review: Review;
  readonly kind: RowKind;
  /** Those that would write another value. */
  readonly rivals: readonly Review[] | undefined;
  readonly isFrozen: boolean;
  /** The allow that used its approval, if that is known. */
  readonly use: Use | undefined;
}) {
  const { intent } = review;
  const whoElse = useWhoElse(review);
  const amount = amountOf(intent);
  // Of a closed one only an attempt to deceive still matters.
  const warnings = warningsOf(review, knownAround(review, rivals)).filter(
    (warning) => kind !== 'closed' || isGrave(warning),
  );
  return (
    <>
      <a class="target" href={href(`/reviews/${review.id}`)}>
        <WriteTitle target={intent} isBrief />
      </a>{' '}
      {[...new Map(warnings.map((warning) => [warning.kind, warning])).values()].map((warning) => [
        <span key={warning.kind} class={isGrave(warning) ? 'warn-tag' : 'warn-tag care'}>
          {TAGS[warning.kind]}
        </span>,
        // Between two of them a line may end.
        ' ',
      ])}
      {isFrozen && <span class="warn-tag care">frozen</span>}
      {typeof intent.agentValue === 'string' ? (
        <span class="reason small-text">
          <BriefCallerText text={String(intent.system)} />
          <Value intent={intent} before=" · " max={VALUE_MAX} hasSource />
        </span>
      ) : (
        <span class="reason small-text one-line">
          <BriefCallerText text={saidOf(review)} />
        </span>
      )}
      <span class="reason small-text phone-line">
        {amount !== null && (
          <>
            <BriefCallerText text={amount} /> ·{' '}
          </>
        )}
        <BriefCallerText text={kind === 'others' ? whoElse : agentNameOf(review)} />
      </span>
      {kind === 'closed' ? (
        <span class="phone-line state-line">
          <StateBadge review={review} use={use} />
        </span>
      ) : (
        <LastComment review={review} />
      )}
    </>
  );
}

/** Who decides a review that waits for others. */
function useWhoElse(review: Review): string {
  return mayDo(review, useSession()?.person, false).barred?.who ?? whoCan(review.controls);
}

/** What tells writes without a value apart: the caller's own words, if there are any. */
function saidOf({ intent, askedBy }: Review): string {
  return noteIn(intent) ?? askedBy[0]?.justification ?? String(intent.system);
}

export function Asker({ review }: { readonly review: Review }) {
  const { askedBy } = review;
  const onBehalfOf = askedBy[0]?.onBehalfOf ?? null;
  return (
    <>
      <span class="line">
        <BriefCallerText text={agentNameOf(review)} />
      </span>
      {onBehalfOf !== null && (
        <span class="line quiet">
          for <BriefCallerText text={onBehalfOf} />
        </span>
      )}
      {askedBy.length > 1 && <span class="line quiet">and {askedBy.length - 1} more</span>}
    </>
  );
}

export function Controls({ review, isOthers }: { readonly review: Review; readonly isOthers: boolean }) {
  const { controls, verdicts } = review;
  const whoElse = useWhoElse(review);
  return (
    <>
      {isOthers && <span class="line">{whoElse}</span>}
      {controls.map(({ controlId, approvals }) => (
        <span key={controlId} class="line">
          <ControlName id={controlId} />
          {approvals > 1 && (
            <span class="quiet">
              {' '}
              {verdicts.filter((each) => each.controls.includes(controlId)).length} of {approvals}
            </span>
          )}
        </span>
      ))}
    </>
  );
}

/** So that a question is not overlooked. */
function LastComment({ review }: { readonly review: Review }) {
  const last = review.comments.at(-1);
  if (last === undefined) return null;
  return (
    <span class="reason small-text">
      <BriefCallerText text={`${nameOf(last.by)}: ${last.text}`} />
    </span>
  );
}
