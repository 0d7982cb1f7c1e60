/** A table of reviews: those for the user, for others, or closed. */
import type { Review } from '@writecheck/api';
import { BriefCallerText } from '../../components/caller-text.tsx';
import { type Column, DataTable, type Sorting } from '../../components/data-table.tsx';
import { amountOf } from '../../components/decision/said-in-intent.ts';
import { titleOf } from '../../components/decision/write-title.tsx';
import { Moment } from '../../components/moment.tsx';
import { nameOf, StateBadge, TimeLeft } from '../../components/review/review-words.tsx';
import { useMoveByKeys } from '../../components/use-move-by-keys.ts';
import { Asker, Controls, type RowKind, Write } from './review-row.tsx';
import type { Picking } from './select-reviews.ts';

const NO_CONFLICTS: ReadonlySet<string> = new Set();

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
  readonly kind: RowKind;
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
  kind: RowKind,
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
