/** A table of reviews: those for the user, for others, or closed. */
import type { Review } from '@writecheck/api';
import { BriefCallerText } from '../../components/caller-text.tsx';
import { cutAround } from '../../components/cut-around.ts';
import { type Column, DataTable, type Sorting } from '../../components/data-table.tsx';
import { Moment } from '../../components/moment.tsx';
import { RevealedText } from '../../components/revealed-text.tsx';
import { useMoveByKeys } from '../../components/use-move-by-keys.ts';
import { href } from '../../state/route.ts';
import { useSession } from '../../state/session.ts';
import { amountOf, noteIn } from '../decisions-parts/said-in-intent.ts';
import { titleOf, WriteTitle } from '../decisions-parts/write-title.tsx';
import { nameOf, StateBadge, TimeLeft, whoCan } from './review-words.tsx';
import type { Picking } from './select-reviews.ts';
import { agentNameOf } from './sort-reviews.ts';
import { isAboutTaking, isMine, takenBy } from './taken.ts';
import { deceptionOf, type WarningKind, wasRejected } from './warnings.ts';

const NO_CONFLICTS: ReadonlySet<string> = new Set();

type Kind = 'mine' | 'others' | 'closed';

export function ReviewTable({
  reviews,
  caption,
  kind,
  picking,
  sorting,
  conflicting = NO_CONFLICTS,
  onSort,
}: {
  readonly reviews: readonly Review[];
  readonly caption: string;
  readonly kind: Kind;
  readonly picking?: Picking | undefined;
  readonly sorting?: Sorting;
  /** Those that would write another value than another open one. */
  readonly conflicting?: ReadonlySet<string>;
  readonly onSort?: (sorting: Sorting) => void;
}) {
  useMoveByKeys();
  return (
    <DataTable
      kind="decisions reviews"
      caption={caption}
      rows={reviews}
      idOf={({ id }) => id}
      columns={columnsOf(kind, picking, conflicting)}
      {...(sorting === undefined ? {} : { sorting })}
      {...(onSort === undefined ? {} : { onSort })}
    />
  );
}

/** The inbox sorts all its pages, so the table only says by what. */
function byPlace(): number {
  return 0;
}

function columnsOf(
  kind: Kind,
  picking: Picking | undefined,
  conflicting: ReadonlySet<string>,
): readonly (Column<Review> | null)[] {
  return [
    picking === undefined
      ? null
      : {
          name: 'pick',
          head: <span class="hidden">Select</span>,
          kind: 'pick',
          cell: (review) => <Pick review={review} picking={picking} />,
        },
    {
      name: 'object',
      head: 'Write',
      sortBy: byPlace,
      goesUp: true,
      cell: (review) => <Write review={review} kind={kind} conflicts={conflicting.has(review.id)} />,
    },
    {
      name: 'amount',
      head: 'Amount',
      kind: 'wide-only number',
      sortBy: byPlace,
      cell: ({ intent }) => {
        const amount = amountOf(intent);
        return amount !== null && <BriefCallerText text={amount} />;
      },
    },
    {
      name: 'agent',
      head: 'Requested by',
      kind: 'wide-only small-text asker',
      sortBy: byPlace,
      goesUp: true,
      cell: (review) => <Asker review={review} />,
    },
    kind === 'closed'
      ? {
          name: 'decider',
          head: 'Decided by',
          kind: 'wide-only small-text decider',
          cell: ({ verdicts }) =>
            verdicts.map(({ by, at, identity }) => (
              <span key={at} class="line">
                <BriefCallerText text={nameOf(by)} />
                {identity === 'passkey' && <span class="quiet"> with passkey</span>}
              </span>
            )),
        }
      : {
          name: 'control',
          head: kind === 'others' ? 'Who can decide' : 'Control',
          kind: 'wide-only small-text controls',
          cell: (review) => <Controls review={review} isOthers={kind === 'others'} />,
        },
    kind === 'closed'
      ? {
          name: 'state',
          head: 'State',
          kind: 'state-cell wide-only',
          cell: (review) => <StateBadge review={review} />,
        }
      : null,
    kind === 'closed'
      ? {
          name: 'closed',
          head: 'Closed',
          kind: 'when',
          cell: ({ resolvedAt, expiresAt }) => <Moment at={resolvedAt ?? expiresAt} as="clock" />,
        }
      : {
          name: 'expiry',
          head: 'Expires in',
          kind: 'when',
          sortBy: byPlace,
          goesUp: true,
          cell: ({ expiresAt, openedAt }) => <TimeLeft until={expiresAt} since={openedAt} />,
        },
  ];
}

/** What a row says of the worst that stands out. */
const TAGS: { readonly [kind in WarningKind]?: string } = {
  twins: 'looks like the old value',
  imitates: 'look-alike characters',
  reversed: 'reversed text',
  hidden: 'hidden characters',
  aimed: 'addresses the reviewer',
};

function Write({
  review,
  kind,
  conflicts,
}: {
  readonly review: Review;
  readonly kind: Kind;
  readonly conflicts: boolean;
}) {
  const { intent, controls } = review;
  const amount = amountOf(intent);
  const deception = deceptionOf(review);
  return (
    <>
      <a class="target" href={href(`/reviews/${review.id}`)}>
        <WriteTitle target={intent} isBrief />
      </a>{' '}
      {deception !== null && <span class="warn-tag">{TAGS[deception.kind]}</span>}
      {kind !== 'closed' && review.confirms != null && (
        <span class="warn-tag care">overrides the source</span>
      )}
      {kind !== 'closed' && wasRejected(review) && <span class="warn-tag">rejected before</span>}
      {conflicts && <span class="warn-tag care">two values open</span>}
      {typeof intent.agentValue === 'string' ? (
        <span class="reason small-text">
          <BriefCallerText text={String(intent.system)} />
          <Values intent={intent} />
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
        <BriefCallerText text={kind === 'others' ? whoCan(controls) : agentNameOf(review)} />
      </span>
      {kind === 'closed' ? (
        <span class="phone-line state-line">
          <StateBadge review={review} />
        </span>
      ) : (
        <LastComment review={review} />
      )}
    </>
  );
}

/** What tells writes without a value apart: the caller's own words, if there are any. */
function saidOf({ intent, askedBy }: Review): string {
  return noteIn(intent) ?? askedBy[0]?.justification ?? String(intent.system);
}

function Asker({ review }: { readonly review: Review }) {
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

function Controls({ review, isOthers }: { readonly review: Review; readonly isOthers: boolean }) {
  const { controls, verdicts } = review;
  return (
    <>
      {isOthers && <span class="line">{whoCan(controls)}</span>}
      {controls.map(({ controlId, approvals }) => (
        <span key={controlId} class="line">
          <BriefCallerText text={controlId} />
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

/** So that two reviewers do not look at the same write, and a question is not overlooked. */
function LastComment({ review }: { readonly review: Review }) {
  const taken = takenBy(review);
  const last = review.comments.findLast((comment) => !isAboutTaking(comment));
  const person = useSession()?.person;
  return (
    <>
      {taken !== null && (
        <span class="reason small-text">
          <span class={isMine(taken, person) ? 'chip signed' : 'chip'}>
            {isMine(taken, person) ? (
              'Taken by you'
            ) : (
              <BriefCallerText text={`Taken by ${nameOf(taken.by)}`} />
            )}
          </span>
        </span>
      )}
      {last !== undefined && (
        <span class="reason small-text">
          <BriefCallerText text={`${nameOf(last.by)}: ${last.text}`} />
        </span>
      )}
    </>
  );
}

function Pick({ review, picking }: { readonly review: Review; readonly picking: Picking }) {
  const why = picking.whyNot(review);
  return (
    <label title={why ?? undefined}>
      <span class="hidden">
        Select {titleOf(review.intent)}
        {why !== null && `. ${why}`}
      </span>
      <input
        type="checkbox"
        checked={picking.picked.has(review.id)}
        disabled={why !== null}
        onChange={() => picking.toggle(review.id)}
      />
    </label>
  );
}

const VALUE_MAX = 40;

/** What would be written; what the source has stands beside it only if it differs. */
export function Values({ intent }: { readonly intent: Review['intent'] }) {
  const { agentValue, authorityValue } = intent;
  if (typeof agentValue !== 'string') return null;
  const differs = typeof authorityValue === 'string' && authorityValue !== agentValue;
  const cut = cutAround(agentValue, differs ? authorityValue : '');
  const whole = [...agentValue];
  const shown = differs
    ? cut.left
    : whole.length > VALUE_MAX
      ? `${whole.slice(0, VALUE_MAX).join('')}…`
      : agentValue;
  return (
    <>
      {' · '}
      {differs && (
        <>
          <code>
            <RevealedText text={cut.right} isWary />
          </code>{' '}
          <span aria-hidden="true">→</span>
          <span class="hidden">to</span>{' '}
        </>
      )}
      <code>
        <RevealedText text={shown} isWary={differs} />
      </code>
    </>
  );
}
