/** Several reviews decided at once: a table of the writes, then one confirmation and at most one passkey prompt. */

import type { Review } from '@writecheck/api';
import { useMemo, useRef, useState } from 'preact/hooks';
import { type Failure, success } from '../../api.ts';
import { listOfObject, readReview } from '../../calls/reviews.ts';
import { Loaded } from '../../components/page.tsx';
import { type CoveredWrite, coveredWrite } from '../../components/review/covered.ts';
import { readAround } from '../../components/review/read-around.ts';
import { isSigned, mayDecide } from '../../components/review/review-words.tsx';
import { type Around, UNREAD_AROUND } from '../../components/review/warnings.ts';
import { useKeys } from '../../components/single-keys.ts';
import { RevealedText } from '../../components/text.tsx';
import { useGrowing } from '../../components/use-growing.ts';
import { joined, type ValueOf } from '../../replies.ts';
import { href, usePlace } from '../../state/route.ts';
import { useSession } from '../../state/session.ts';
import { useLoad } from '../../use-load.ts';
import type { ShownReview } from './batch-columns.ts';
import { BatchMoment } from './batch-moment.tsx';
import { BatchTable, foldOf } from './batch-table.tsx';
import { batchTitle, worthInWords } from './batch-words.ts';
import { ConfirmSeveral } from './confirm-several.tsx';
import { ConfirmVerdict } from './confirm-verdict.tsx';
import { decideReviews } from './decide-reviews.ts';
import { FrozenNotes } from './frozen-note.tsx';
import { kindOf, rivalsIn, TOGETHER_MAX, whyAlone } from './select-reviews.ts';
import { TogetherLimits } from './together-limits.tsx';

const DRAWN_AT_ONCE = 3;

export default function ReviewsTogether() {
  const ids = (usePlace().query.get('ids') ?? '').split(',').filter(Boolean).slice(0, TOGETHER_MAX);
  const load = useLoad(ids.join(), (signal) => readAll(ids, signal));
  return (
    <div class="page">
      <div class="row back">
        <a href={href('/reviews')}>Inbox</a>
      </div>
      {load.value === null && <h1>Review together</h1>}
      <Loaded load={load} lines={12}>
        {(loaded) => <Together {...loaded} reload={load.reload} />}
      </Loaded>
    </div>
  );
}

type Named = ValueOf<typeof readAll>;

async function readAll(ids: readonly string[], signal: AbortSignal) {
  const named = await joined(ids.map((id) => readReview(id, signal)));
  if (named.kind === 'failure') return named;
  const reviews = named.value.map(({ review }) => review);
  const [decided, others] = await Promise.all([
    Promise.all(reviews.map((review) => readAround(review, signal))),
    // The address may leave out the review that contradicts one of these.
    joined(reviews.map((review) => listOfObject(review, signal))),
  ]);
  if (others.kind === 'failure') return others;
  const open = others.value.flatMap((other) => other.reviews);
  const rivals = rivalsIn(reviews, open);
  const around = reviews.map(({ id }, at) => {
    const outcome = decided[at]!;
    const read: Around = outcome.kind === 'failure' ? UNREAD_AROUND : outcome.value;
    return [id, { ...read, conflicting: rivals.get(id) ?? [] }] as const;
  });
  return success({ reviews, around: new Map(around) });
}

type Choice = 'approve' | 'reject';

/** The last try to decide, before the first. */
const UNTRIED = {
  verdict: 'approve' as Choice,
  comment: '',
  isBusy: false,
  results: new Map<string, Failure | 'done'>(),
};

function Together({ reviews, around, reload }: Named & { readonly reload: () => void }) {
  const signedIn = useSession();
  const { left, all, leaveOut } = useShown(reviews);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [rejecting, setRejecting] = useState<ShownReview | null>(null);
  const [confirming, setConfirming] = useState<Choice | null>(null);
  const [tried, setTried] = useState(UNTRIED);
  const { verdict, isBusy, results } = tried;
  const open = all.filter(
    ({ review, write }) =>
      isReady(review, write) &&
      results.get(review.id) !== 'done' &&
      review.controls.some((control) => mayDecide(control, signedIn?.person)),
  );
  const aloneOf = (review: Review) => whyAlone(review, around.get(review.id) ?? UNREAD_AROUND);
  // Those that may be approved among others; every one may be rejected.
  const alike = open.filter(({ review }) => aloneOf(review) === null);
  const areOneKind = new Set(alike.map(({ review }) => kindOf(review))).size <= 1;
  const ready = areOneKind ? alike : [];
  const foldsLeft = ready.flatMap(({ review, write }) =>
    write.folds.filter((fold) => !opened.has(foldOf(review, fold))),
  ).length;
  const decide = async (shown: readonly ShownReview[], choice: Choice, comment: string) => {
    setConfirming(null);
    setRejecting(null);
    setTried({ verdict: choice, comment, isBusy: true, results: new Map() });
    const decided = shown.map(({ review, write }) => ({ review, digest: write.digest }));
    await decideReviews(signedIn, decided, choice, comment, ({ id }, outcome) => {
      const result = outcome.kind === 'failure' ? outcome : 'done';
      setTried((before) => ({ ...before, results: new Map([...before.results, [id, result]]) }));
    });
    setTried((before) => ({ ...before, isBusy: false }));
    reload();
  };
  const done = all.filter(({ review }) => results.get(review.id) === 'done');
  const isDone = results.size > 0 && done.length === results.size && !isBusy;
  const saidBefore = (choice: Choice) =>
    verdict === choice && done.length < results.size ? tried.comment : '';
  const decided = confirming === 'approve' ? ready : open;
  return (
    <>
      <h1>
        <RevealedText text={batchTitle(left)} />
      </h1>
      {isDone && <BatchMoment decided={done} verdict={verdict} isOver={ready.length === 0} />}
      <BatchTable
        all={all}
        results={results}
        aloneOf={aloneOf}
        opened={opened}
        open={(fold) => setOpened((before) => new Set([...before, fold]))}
        isBusy={isBusy}
        onLeave={left.length > 1 ? leaveOut : null}
        onReject={setRejecting}
      />
      {isDone && open.length === 0 ? null : (
        <BatchBar
          tried={tried}
          doneCount={done.length}
          open={open}
          alike={alike}
          ready={ready}
          foldsLeft={foldsLeft}
          isWhole={all.length === left.length}
          onChoose={setConfirming}
        />
      )}
      {confirming !== null && (
        <ConfirmSeveral
          choice={confirming}
          all={decided}
          needsPasskey={decided.some(({ review }) => isSigned(review, signedIn?.person))}
          said={saidBefore(confirming)}
          onConfirm={(comment) => decide(decided, confirming, comment)}
          onCancel={() => setConfirming(null)}
        />
      )}
      {rejecting !== null && (
        <ConfirmVerdict
          choice="reject"
          review={rejecting.review}
          write={rejecting.write}
          warnings={[]}
          said={results.has(rejecting.review.id) ? saidBefore('reject') : ''}
          onConfirm={(comment) => decide([rejecting], 'reject', comment)}
          onCancel={() => setRejecting(null)}
        />
      )}
    </>
  );
}

/** The reviews that are not left out, and those of them that are drawn. */
function useShown(reviews: readonly Review[]) {
  // A reload refreshes states, never the writes: what was opened counts for those that were shown.
  const first = useRef(reviews);
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const ids = reviews.map(({ id }) => id);
  const drawn = useGrowing(ids, DRAWN_AT_ONCE);
  const left = useMemo(() => reviews.filter(({ id }) => !leftOut.has(id)), [reviews, leftOut]);
  const all = useMemo(() => {
    const intents = new Map(first.current.map(({ id, intent }) => [id, intent]));
    return left
      .slice(0, drawn)
      .map((review) => ({ ...review, intent: intents.get(review.id) ?? review.intent }))
      .map((review) => ({ review, write: coveredWrite(review.intent) }));
  }, [left, drawn]);
  return { left, all, leaveOut: (id: string) => setLeftOut((before) => new Set([...before, id])) };
}

interface BatchBarProps {
  readonly tried: typeof UNTRIED;
  readonly doneCount: number;
  readonly open: readonly ShownReview[];
  readonly alike: readonly ShownReview[];
  readonly ready: readonly ShownReview[];
  readonly foldsLeft: number;
  /** Whether all of them are drawn. */
  readonly isWhole: boolean;
  readonly onChoose: (choice: Choice) => void;
}

function BatchBar({ tried, doneCount, open, alike, ready, foldsLeft, isWhole, onChoose }: BatchBarProps) {
  const { verdict, isBusy, results } = tried;
  const mayReject = !isBusy && isWhole && open.length > 0;
  const mayApprove = mayReject && foldsLeft === 0 && ready.length > 0;
  const approve = () => onChoose('approve');
  const reject = () => onChoose('reject');
  useKeys({ a: mayApprove ? approve : null, r: mayReject ? reject : null });
  const warned = open.length - alike.length;
  const [has, them] = warned === 1 ? ['has', 'it'] : ['have', 'those'];
  const all = open.length > 1 ? `all ${open.length}` : 'it';
  return (
    <section class="card verdict-bar" aria-label="Your verdict">
      {!isBusy && doneCount < results.size && (
        <p class="note note-warn" role="status">
          {doneCount} of {results.size} {verdict === 'approve' ? 'approved' : 'rejected'}. See each write.
        </p>
      )}
      {open.length === 0 ? (
        <p>
          Nothing here is left to decide. <a href={href('/reviews')}>Go to the inbox</a>.
        </p>
      ) : (
        <>
          {foldsLeft > 0 && (
            <p>
              To approve, first show {foldsLeft === 1 ? 'the folded part' : `the ${foldsLeft} folded parts`}.
            </p>
          )}
          <FrozenNotes reviews={open.map(({ review }) => review)} />
          <TogetherLimits all={ready} />
          {ready.length < alike.length && <p>Only writes of one kind are approved together.</p>}
          {warned > 0 && (
            <p>
              {warned} of {open.length} {has} a warning: approve {them} one by one.
            </p>
          )}
          <div class="row">
            {ready.length > 0 && (
              <button type="button" class="primary" disabled={!mayApprove} onClick={approve}>
                {isBusy && verdict === 'approve' ? 'Approving …' : `Approve ${ready.length} …`}
              </button>
            )}
            {ready.length > 0 && <Worth of={ready} />}
            <button
              type="button"
              class={ready.length > 0 ? 'danger-text' : 'danger'}
              disabled={!mayReject}
              onClick={reject}
            >
              {isBusy && verdict === 'reject' ? 'Rejecting …' : `Reject ${all} …`}
            </button>
            {ready.length < open.length && <Worth of={open} />}
          </div>
        </>
      )}
    </section>
  );
}

/** Beside the button that decides exactly these. */
function Worth({ of }: { readonly of: readonly ShownReview[] }) {
  return (
    <strong>
      <RevealedText text={worthInWords(of)} />
    </strong>
  );
}

/** INVARIANT: only an open review whose digest the page computed itself. */
function isReady(review: Review, write: CoveredWrite): boolean {
  return review.state === 'open' && write.digest === review.intentDigest;
}
