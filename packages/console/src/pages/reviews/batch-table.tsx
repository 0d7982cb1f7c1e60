/** Several writes as one table: what they share stands above it once, what differs stands in columns, in full. */
import type { Review } from '@writecheck/api';
import { useState } from 'preact/hooks';
import type { Failure } from '../../api.ts';
import { ACTIONS, type Column, DataTable } from '../../components/data-table.tsx';
import { titleOf, WriteTitle } from '../../components/decision/write-title.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Fact } from '../../components/fact.tsx';
import { Section } from '../../components/page.tsx';
import { Members, Value, WholeWrite } from '../../components/review/covered-write.tsx';
import { StateBadge } from '../../components/review/state-badge.tsx';
import { CallerText, RevealedText } from '../../components/text.tsx';
import { href } from '../../state/route.ts';
import { type Batch, batchOf, memberOf, restOf, type ShownReview } from './batch-columns.ts';
import { useFreezesOf } from './frozen-note.tsx';

/** Identifiers, of which every character counts. */
const NEW_VALUE = '["agentValue"]';
const VALUES: ReadonlySet<string> = new Set([NEW_VALUE, '["authorityValue"]']);

/** In groups of four. Its last two digits on a line of their own are overlooked. */
const IBAN_CHARACTERS_MAX = 42;

/** With more of them the buttons stand below each other. */
const COLUMNS_ROOMY = 8;

/** The name of a folded part among those of all writes. */
export function foldOf(review: Review, fold: string): string {
  return `${review.id} ${fold}`;
}

interface BatchProps {
  readonly all: readonly ShownReview[];
  readonly results: ReadonlyMap<string, Failure | 'done'>;
  /** Why a review is approved on its own page only; null if it need not be. */
  readonly aloneOf: (review: Review) => string | null;
  readonly opened: ReadonlySet<string>;
  readonly open: (fold: string) => void;
  readonly isBusy: boolean;
  /** Null for the last one that is left. */
  readonly onLeave: ((id: string) => void) | null;
  readonly onReject: (shown: ShownReview) => void;
}

export function BatchTable(props: BatchProps) {
  const { all, opened, open, results, aloneOf } = props;
  const [expanded, setExpanded] = useState<string | null>(null);
  const batch = batchOf(all);
  const frozen = useFreezesOf(all.map(({ review }) => review));
  const foldingOf = (review: Review) => ({
    opened: new Set(
      [...opened]
        .filter((fold) => fold.startsWith(`${review.id} `))
        .map((fold) => fold.slice(review.id.length + 1)),
    ),
    open: (fold: string) => open(foldOf(review, fold)),
  });
  const isShort = all.every(({ write }) => (write.after?.text.length ?? 0) <= IBAN_CHARACTERS_MAX);
  const columns: readonly Column<ShownReview>[] = [
    {
      name: 'details',
      head: <span class="hidden">Details</span>,
      kind: 'chevron',
      cell: ({ review }) => (
        <Details
          review={review}
          isExpanded={expanded === review.id}
          onExpand={() => setExpanded(expanded === review.id ? null : review.id)}
        />
      ),
    },
    {
      name: 'write',
      head: batch.isOneKind ? 'Object' : 'Write',
      isName: true,
      cell: ({ review, write }) => {
        const rest = restOf(write, batch);
        return (
          <>
            <a href={href(`/reviews/${review.id}`)}>
              {batch.isOneKind ? (
                <RevealedText text={String(review.intent.objectRef)} />
              ) : (
                <WriteTitle target={review.intent} isBrief />
              )}
            </a>{' '}
            {frozen.has(review.id) && review.state === 'open' && <span class="warn-tag care">frozen</span>}
            {rest.length > 0 && <Members rows={rest} {...foldingOf(review)} />}
          </>
        );
      },
    },
    ...batch.columns.map(({ id, label }) => ({
      name: id,
      head: label,
      kind:
        label === 'Amount'
          ? 'number'
          : VALUES.has(id)
            ? `member mono${id === NEW_VALUE && isShort ? ' iban' : ''}`
            : 'member',
      cell: ({ review, write }: ShownReview) => {
        const row = memberOf(write, id);
        return row !== null && <Value row={row} {...foldingOf(review)} />;
      },
    })),
    ...batch.said
      .filter(({ text }) => text === null)
      .map(({ name, of }) => ({
        name,
        head: name,
        kind: 'small-text quiet',
        cell: ({ review }: ShownReview) => {
          const text = of(review);
          return text !== null && <CallerText text={text} />;
        },
      })),
    {
      ...ACTIONS,
      cell: (shown) => <Actions {...props} shown={shown} />,
    },
  ];
  return (
    <>
      <Shared batch={batch} count={all.length} opened={opened} open={open} />
      <DataTable
        kind={`panel stacks batch${columns.length > COLUMNS_ROOMY ? ' crowded' : ''}`}
        caption="Writes to decide together"
        rows={all}
        idOf={({ review }) => review.id}
        below={({ review, write }) => {
          const why = review.state === 'open' ? aloneOf(review) : null;
          const result = results.get(review.id) ?? 'done';
          const isExpanded = expanded === review.id;
          if (why === null && result === 'done' && !isExpanded) return null;
          return (
            <>
              {why !== null && (
                <p class="note note-bad small-text">
                  <RevealedText text={why} />
                </p>
              )}
              {result !== 'done' && <ErrorNote failure={result} />}
              {isExpanded && (
                <WholeWrite
                  write={write}
                  isSame={write.digest === review.intentDigest}
                  {...foldingOf(review)}
                />
              )}
            </>
          );
        }}
        columns={columns}
      />
    </>
  );
}

function Shared({
  batch: { shared, said, areConfirmed, areContradicting },
  count,
  ...folding
}: Pick<BatchProps, 'opened' | 'open'> & { readonly batch: Batch; readonly count: number }) {
  const alike = said.filter(({ text }) => text !== null);
  if (count < 2 && alike.length === 0) return null;
  return (
    <Section title={count < 2 ? 'About this write' : `The same in all ${count}`}>
      <Members rows={shared} {...folding} />
      {areConfirmed && (
        <p class="small-text">
          The agent says that the source of record has each new value. Not signed
          {areContradicting && ', and it can’t have two values for one object'}.
        </p>
      )}
      {alike.length > 0 && (
        <dl class="facts small-text" aria-label="Who asks">
          {alike.map(({ name, isClaimed, text }) => (
            <Fact key={name} name={isClaimed ? `${name}, the caller says` : name}>
              <CallerText text={text ?? ''} />
            </Fact>
          ))}
        </dl>
      )}
    </Section>
  );
}

function Details({
  review,
  isExpanded,
  onExpand,
}: {
  readonly review: Review;
  readonly isExpanded: boolean;
  readonly onExpand: () => void;
}) {
  return (
    <button type="button" class="icon plain" title="Details" aria-expanded={isExpanded} onClick={onExpand}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={isExpanded ? 'M4 6l4 4 4-4' : 'M6 4l4 4-4 4'} />
      </svg>
      <span class="hidden">Details {titleOf(review.intent)}</span>
    </button>
  );
}

function Actions({
  shown,
  isBusy,
  onLeave,
  onReject,
}: Pick<BatchProps, 'isBusy' | 'onLeave' | 'onReject'> & { readonly shown: ShownReview }) {
  const { review } = shown;
  const isOpen = review.state === 'open' && !isBusy;
  const button = (what: string, act: () => void) => (
    <button type="button" class="small" onClick={act}>
      {what} <span class="hidden">{titleOf(review.intent)}</span>
    </button>
  );
  return (
    <>
      {review.state !== 'open' && <StateBadge review={review} />}
      {isOpen && button('Reject …', () => onReject(shown))}
      {isOpen && onLeave !== null && button('Leave out', () => onLeave(review.id))}
    </>
  );
}
