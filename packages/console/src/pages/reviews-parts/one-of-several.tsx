/** One of several writes that are approved together, in full. */
import type { Review } from '@writecheck/api';
import type { Failure } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { href } from '../../state/route.ts';
import { titleOf, WriteTitle } from '../decisions-parts/write-title.tsx';
import type { CoveredWrite } from './covered.ts';
import { WholeWrite } from './covered-write.tsx';
import { StateBadge, TimeLeft } from './review-words.tsx';

export interface ShownReview {
  readonly review: Review;
  readonly write: CoveredWrite;
}

/** The name of a folded part among those of all writes. */
export function foldOf(review: Review, fold: string): string {
  return `${review.id} ${fold}`;
}

export function OneOfSeveral({
  review,
  write,
  place,
  result,
  opened,
  open,
  onLeave,
}: ShownReview & {
  readonly place: string;
  readonly result: Failure | 'done' | null;
  readonly opened: ReadonlySet<string>;
  readonly open: (fold: string) => void;
  readonly onLeave: (() => void) | null;
}) {
  const own = new Set(write.folds.filter((fold) => opened.has(foldOf(review, fold))));
  const heading = `write-${review.id}`;
  return (
    <section class="card" aria-labelledby={heading}>
      <div class="row title-row">
        <h2 id={heading}>
          <WriteTitle target={review.intent} />
        </h2>
        <span class="row">
          <span class="quiet small-text">{place}</span>
          <StateBadge review={review} />
        </span>
      </div>
      <p class="small-text quiet">
        <a href={href(`/reviews/${review.id}`)}>Open this review</a>
        {review.state === 'open' && (
          <>
            {' '}
            · expires in <TimeLeft until={review.expiresAt} since={review.openedAt} />
          </>
        )}
      </p>
      {result !== null && result !== 'done' && <ErrorNote failure={result} />}
      <WholeWrite
        write={write}
        isSame={write.digest === review.intentDigest}
        opened={own}
        open={(fold) => open(foldOf(review, fold))}
      />
      {onLeave !== null && review.state === 'open' && (
        <p>
          <button type="button" class="small" onClick={onLeave}>
            Leave out<span class="hidden"> {titleOf(review.intent)}</span>
          </button>
        </p>
      )}
    </section>
  );
}
