/** Several reviews approved at once: every write in full, then one confirmation and at most one passkey prompt. */
import type { Review } from '@writecheck/api';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Failure, Outcome } from '../api.ts';
import { ErrorNote } from '../components/error-note.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { useGrowing } from '../components/use-growing.ts';
import { href, usePlace } from '../state/route.ts';
import { useSession } from '../state/session.ts';
import { useLoad } from '../use-load.ts';
import { ConfirmSeveral } from './reviews-parts/confirm-several.tsx';
import { type CoveredWrite, coveredWrite } from './reviews-parts/covered.ts';
import { decideReviews } from './reviews-parts/decide-reviews.ts';
import { foldOf, OneOfSeveral } from './reviews-parts/one-of-several.tsx';
import { mayDecide } from './reviews-parts/review-words.tsx';
import { readReview } from './reviews-parts/reviews-api.ts';
import { TOGETHER_MAX } from './reviews-parts/select-reviews.ts';
import './pieces.css';
import './decisions-parts/decisions.css';
import './reviews-parts/reviews.css';

const DRAWN_AT_ONCE = 3;

export default function ReviewsTogether() {
  const ids = (usePlace().query.get('ids') ?? '').split(',').filter(Boolean).slice(0, TOGETHER_MAX);
  const { value, failure, reload } = useLoad(ids.join(), (signal) => readAll(ids, signal));
  return (
    <div class="page review">
      <div class="row back">
        <a href={href('/reviews')}>Inbox</a>
      </div>
      <h1>Review together</h1>
      {failure !== null && <ErrorNote failure={failure} onRetry={reload} />}
      {value === null ? (
        failure === null && <Skeleton lines={12} />
      ) : (
        <Together reviews={value} reload={reload} />
      )}
    </div>
  );
}

async function readAll(ids: readonly string[], signal: AbortSignal): Promise<Outcome<readonly Review[]>> {
  const outcomes = await Promise.all(ids.map((id) => readReview(id, signal)));
  const reviews: Review[] = [];
  for (const outcome of outcomes) {
    if (outcome.kind === 'failure') return outcome;
    reviews.push(outcome.value.review);
  }
  return { kind: 'success', value: reviews, headers: new Headers() };
}

function Together({ reviews, reload }: { readonly reviews: readonly Review[]; readonly reload: () => void }) {
  const signedIn = useSession();
  // A reload refreshes states, never the writes: what was opened counts for those that were shown.
  const first = useRef(reviews);
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const drawn = useGrowing(
    reviews.map(({ id }) => id),
    DRAWN_AT_ONCE,
  );
  const count = reviews.length - leftOut.size;
  const all = useMemo(() => {
    const intents = new Map(first.current.map(({ id, intent }) => [id, intent]));
    return reviews
      .filter(({ id }) => !leftOut.has(id))
      .slice(0, drawn)
      .map((review) => ({ ...review, intent: intents.get(review.id) ?? review.intent }))
      .map((review) => ({ review, write: coveredWrite(review.intent) }));
  }, [reviews, leftOut, drawn]);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [isConfirming, setIsConfirming] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [results, setResults] = useState<ReadonlyMap<string, Failure | 'done'>>(new Map());
  const ready = all.filter(
    ({ review, write }) =>
      isReady(review, write) && review.controls.some((control) => mayDecide(control, signedIn?.person)),
  );
  const foldsLeft = ready.flatMap(({ review, write }) =>
    write.folds.filter((fold) => !opened.has(foldOf(review, fold))),
  ).length;
  const needsPasskey = ready.some(({ review }) =>
    review.controls.some(({ identity }) => identity === 'passkey'),
  );
  const approve = async (comment: string) => {
    setIsConfirming(false);
    setIsBusy(true);
    setResults(new Map());
    const decided = ready.map(({ review, write }) => ({ review, digest: write.digest }));
    await decideReviews(signedIn, decided, 'approve', comment, ({ id }, outcome) =>
      setResults((before) => new Map([...before, [id, outcome.kind === 'failure' ? outcome : 'done']])),
    );
    setIsBusy(false);
    reload();
  };
  const done = [...results.values()].filter((result) => result === 'done').length;
  return (
    <>
      {all.map(({ review, write }, at) => (
        <OneOfSeveral
          key={review.id}
          review={review}
          write={write}
          place={`${at + 1} of ${count}`}
          result={results.get(review.id) ?? null}
          opened={opened}
          open={(fold) => setOpened((before) => new Set([...before, fold]))}
          onLeave={
            count > 1 && !isBusy ? () => setLeftOut((before) => new Set([...before, review.id])) : null
          }
        />
      ))}
      <section class="card verdict-bar" aria-label="Your verdict">
        {results.size > 0 && !isBusy && (
          <p class={done === results.size ? 'note note-good' : 'note note-warn'} role="status">
            {done === results.size
              ? countOf(done, 'approved')
              : `${done} of ${results.size} approved. See each write.`}
          </p>
        )}
        {ready.length === 0 ? (
          <p>
            Nothing here is left to approve. <a href={href('/reviews')}>Go to the inbox</a>.
          </p>
        ) : (
          <>
            {foldsLeft > 0 && (
              <p>
                To approve, first show {foldsLeft === 1 ? 'the folded part' : `the ${foldsLeft} folded parts`}
                .
              </p>
            )}
            <div class="row">
              <button
                type="button"
                class="primary"
                disabled={isBusy || foldsLeft > 0 || all.length < count}
                onClick={() => setIsConfirming(true)}
              >
                {isBusy ? 'Approving …' : `Approve ${ready.length} …`}
              </button>
              <span class="quiet small-text">To reject one, open it.</span>
            </div>
          </>
        )}
      </section>
      {isConfirming && (
        <ConfirmSeveral
          all={ready}
          needsPasskey={needsPasskey}
          onConfirm={approve}
          onCancel={() => setIsConfirming(false)}
        />
      )}
    </>
  );
}

/** INVARIANT: only an open review whose digest the page computed itself. */
function isReady(review: Review, write: CoveredWrite): boolean {
  return review.state === 'open' && write.digest === review.intentDigest;
}

function countOf(count: number, what: string): string {
  return count === 1 ? `1 write ${what}.` : `${count} writes ${what}.`;
}
