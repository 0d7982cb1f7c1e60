/** A table of reviews: those for the user, for others, or closed. */
import type { Review } from '@writecheck/api';
import { type Column, DataTable, type Sorting } from '../../components/data-table.tsx';
import { amountOf } from '../../components/decision/said-in-intent.ts';
import { titleOf } from '../../components/decision/write-title.tsx';
import { Moment } from '../../components/moment.tsx';
import { nameOf, TimeLeft } from '../../components/review/review-words.tsx';
import type { Rivals } from '../../components/review/rivals.ts';
import { StateBadge } from '../../components/review/state-badge.tsx';
import { BriefCallerText } from '../../components/text.tsx';
import { useMoveByKeys } from '../../components/use-move-by-keys.ts';
import { useFreezesOf } from './frozen-note.tsx';
import { Asker, Controls, type RowKind, Write } from './review-row.tsx';
import type { Picking } from './select-reviews.ts';
import { type Uses, useUses } from './use-uses.ts';

const NOTHING: readonly never[] = [];
const NO_CONFLICTS: Rivals = new Map();

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
  readonly conflicting?: Rivals;
  readonly onSort?: (sorting: Sorting) => void;
}) {
  useMoveByKeys();
  const uses = useUses(kind === 'closed' ? reviews : NOTHING);
  const frozen = useFreezesOf(kind === 'closed' ? NOTHING : reviews);
  return (
    <DataTable
      kind="decisions reviews"
      caption={caption}
      rows={reviews}
      idOf={({ id }) => id}
      columns={columnsOf(reviews, kind, picking, conflicting, frozen, uses)}
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
  reviews: readonly Review[],
  kind: RowKind,
  picking: Picking | undefined,
  conflicting: Rivals,
  frozen: ReadonlyMap<string, unknown>,
  uses: Uses,
): readonly (Column<Review> | null)[] {
  return [
    picking === undefined
      ? null
      : {
          name: 'pick',
          head: (
            <label>
              <span class="hidden">Select all on this page</span>
              <input
                type="checkbox"
                checked={picking.picked.size > 0}
                indeterminate={picking.picked.size > 0 && picking.picked.size < reviews.length}
                onChange={picking.toggleAll}
              />
            </label>
          ),
          kind: 'pick',
          cell: (review) => <Pick review={review} picking={picking} />,
        },
    {
      name: 'object',
      head: 'Write',
      sortBy: byPlace,
      goesUp: true,
      cell: (review) => (
        <Write
          review={review}
          kind={kind}
          rivals={conflicting.get(review.id)}
          isFrozen={frozen.has(review.id)}
          use={uses.get(review.id)}
        />
      ),
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
      head: 'Agent',
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
          sortBy: byPlace,
          goesUp: true,
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
          head: kind === 'others' ? 'Who can decide' : 'Needs',
          kind: 'wide-only small-text controls',
          sortBy: byPlace,
          goesUp: true,
          cell: (review) => <Controls review={review} isOthers={kind === 'others'} />,
        },
    kind === 'closed'
      ? {
          name: 'state',
          head: 'State',
          kind: 'state-cell wide-only',
          sortBy: byPlace,
          goesUp: true,
          cell: (review) => <StateBadge review={review} use={uses.get(review.id)} />,
        }
      : null,
    kind === 'closed'
      ? {
          name: 'closed',
          head: 'Closed',
          kind: 'when',
          sortBy: byPlace,
          // One that needs further approvals is among those that the user decided.
          cell: ({ resolvedAt }) =>
            resolvedAt === null ? (
              <span class="quiet">still open</span>
            ) : (
              <Moment at={resolvedAt} as="clock" />
            ),
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
        onClick={(event) => picking.toggle(review.id, event.shiftKey)}
      />
    </label>
  );
}
