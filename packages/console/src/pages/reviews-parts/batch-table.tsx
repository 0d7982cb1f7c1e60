/** Several writes as one table: what they share stands above it once, what differs stands in the rows, in full. */
import type { Review } from '@writecheck/api';
import { useState } from 'preact/hooks';
import type { Failure } from '../../api.ts';
import { BriefCallerText, CallerText } from '../../components/caller-text.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { RevealedText } from '../../components/revealed-text.tsx';
import { href } from '../../state/route.ts';
import { amountOf, requesterOf } from '../decisions-parts/said-in-intent.ts';
import { titleOf, WriteTitle } from '../decisions-parts/write-title.tsx';
import { type CoveredRow, type CoveredWrite, isLong, membersOf, sharedMembers } from './covered.ts';
import { Members, WholeWrite } from './covered-write.tsx';
import { StateBadge, TimeLeft } from './review-words.tsx';
import { whyAlone } from './select-reviews.ts';

export interface ShownReview {
  readonly review: Review;
  readonly write: CoveredWrite;
}

/** The name of a folded part among those of all writes. */
export function foldOf(review: Review, fold: string): string {
  return `${review.id} ${fold}`;
}

export function BatchTable({
  all,
  results,
  opened,
  open,
  isBusy,
  onLeave,
  onReject,
}: {
  readonly all: readonly ShownReview[];
  readonly results: ReadonlyMap<string, Failure | 'done'>;
  readonly opened: ReadonlySet<string>;
  readonly open: (fold: string) => void;
  readonly isBusy: boolean;
  /** Null for the last one that is left. */
  readonly onLeave: ((id: string) => void) | null;
  readonly onReject: (shown: ShownReview) => void;
}) {
  const [expanded, setExpanded] = useState<string | null>(null);
  const shared = sharedMembers(all.map(({ write }) => write));
  const sharedIds = new Set(shared.map(({ id }) => id));
  const foldingOf = (review: Review) => ({
    opened: new Set(
      [...opened]
        .filter((fold) => fold.startsWith(`${review.id} `))
        .map((fold) => fold.slice(review.id.length + 1)),
    ),
    open: (fold: string) => open(foldOf(review, fold)),
  });
  return (
    <>
      {shared.length > 0 && all.length > 1 && (
        <section class="card" aria-labelledby="shared">
          <h2 id="shared">The same in all {all.length}</h2>
          <Members rows={shared} opened={opened} open={open} />
        </section>
      )}
      <DataTable
        kind="panel stacks batch"
        caption="Writes to approve together"
        rows={all}
        idOf={({ review }) => review.id}
        below={({ review, write }) =>
          expanded === review.id ? (
            <WholeWrite write={write} isSame={write.digest === review.intentDigest} {...foldingOf(review)} />
          ) : null
        }
        columns={[
          {
            name: 'write',
            head: 'Write',
            isName: true,
            cell: ({ review, write }) => (
              <>
                <a href={href(`/reviews/${review.id}`)}>
                  <WriteTitle target={review.intent} isBrief />
                </a>
                <Differing
                  isTitled={titleOf(review.intent).length <= TITLED_MAX}
                  isConfirmed={write.before !== null && write.before.text === write.after?.text}
                  rows={[
                    ...(write.after === null ? [] : [write.after]),
                    ...membersOf(write).filter(
                      ({ id, text }) =>
                        (all.length === 1 || !sharedIds.has(id)) && !columnsSay(review).includes(text),
                    ),
                  ]}
                  {...foldingOf(review)}
                />
                <Alone review={review} />
                {review.state !== 'open' && <StateBadge review={review} />}
                <Result result={results.get(review.id) ?? null} />
              </>
            ),
          },
          {
            name: 'amount',
            head: 'Amount',
            kind: 'number',
            cell: ({ review }) => {
              const amount = amountOf(review.intent);
              return amount !== null && <BriefCallerText text={amount} />;
            },
          },
          {
            name: 'asker',
            head: 'Requested because',
            kind: 'small-text',
            cell: ({ review }) => <Asked review={review} />,
          },
          {
            name: 'expiry',
            head: 'Expires in',
            kind: 'wide-only',
            cell: ({ review }) => <TimeLeft until={review.expiresAt} since={review.openedAt} />,
          },
          {
            name: 'actions',
            head: <span class="hidden">Actions</span>,
            kind: 'actions',
            cell: (shown) => {
              const { review } = shown;
              const of = <span class="hidden"> {titleOf(review.intent)}</span>;
              const isOpen = review.state === 'open' && !isBusy;
              return (
                <>
                  <button
                    type="button"
                    class="small"
                    aria-expanded={expanded === review.id}
                    onClick={() => setExpanded(expanded === review.id ? null : review.id)}
                  >
                    Details{of}
                  </button>
                  {isOpen && (
                    <button type="button" class="small" onClick={() => onReject(shown)}>
                      Reject …{of}
                    </button>
                  )}
                  {isOpen && onLeave !== null && (
                    <button type="button" class="small" onClick={() => onLeave(review.id)}>
                      Leave out{of}
                    </button>
                  )}
                </>
              );
            },
          },
        ]}
      />
    </>
  );
}

/** What the other columns show in full. */
function columnsSay({ intent, askedBy: [asker] }: Review): readonly (string | null)[] {
  return [amountOf(intent), asker?.onBehalfOf ?? requesterOf(intent)];
}

/** Why this write is not among those that are approved here. */
function Alone({ review }: { readonly review: Review }) {
  const why = review.state === 'open' ? whyAlone(review) : null;
  return why === null ? null : (
    <p class="note note-bad small-text">
      <RevealedText text={why} />
    </p>
  );
}

const TITLED_MAX = 60;

function Differing({
  rows,
  isTitled,
  isConfirmed,
  ...folding
}: {
  /** Whether the title shows the reference in full. */
  readonly isTitled: boolean;
  /** Whether the source of record has the new value; it is then shown once. */
  readonly isConfirmed: boolean;
  readonly rows: readonly CoveredRow[];
  readonly opened: ReadonlySet<string>;
  readonly open: (fold: string) => void;
}) {
  const shown = rows.filter(
    ({ names: [first], text }) =>
      (first !== 'objectRef' || !isTitled) && (first !== 'authorityValue' || !isConfirmed || isLong(text)),
  );
  return (
    <>
      {shown.length > 0 && <Members rows={shown} {...folding} />}
      {isConfirmed && <p class="small-text quiet">The source of record has the same value.</p>}
    </>
  );
}

function Asked({ review: { intent, askedBy } }: { readonly review: Review }) {
  const [asker] = askedBy;
  const requester = asker?.onBehalfOf ?? requesterOf(intent);
  return (
    <>
      {requester !== null && (
        <span class="line">
          <CallerText text={requester} />
        </span>
      )}
      {asker?.justification != null && (
        <span class="line quiet">
          <CallerText text={asker.justification} />
        </span>
      )}
    </>
  );
}

function Result({ result }: { readonly result: Failure | 'done' | null }) {
  return result === null || result === 'done' ? null : <ErrorNote failure={result} />;
}
