/** One review: the write in full, what the caller says about it, and the verdict. */
import type { Review } from '@writecheck/api';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { readReview } from '../../calls/reviews.ts';
import { ClockNote } from '../../components/clock-note.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { amountOf } from '../../components/decision/said-in-intent.ts';
import { SameObject } from '../../components/decision/same-object.tsx';
import { titleOf, WriteTitle } from '../../components/decision/write-title.tsx';
import { Fact } from '../../components/fact.tsx';
import { Moment } from '../../components/moment.tsx';
import { DetailPage } from '../../components/page.tsx';
import { coveredWrite } from '../../components/review/covered.ts';
import { CoveredWriteCard } from '../../components/review/covered-write.tsx';
import { mayDo } from '../../components/review/may-do.ts';
import { TimeLeft } from '../../components/review/review-words.tsx';
import { StateBadge } from '../../components/review/state-badge.tsx';
import { useIsListed } from '../../components/review/use-is-listed.ts';
import { useSurroundings } from '../../components/review/use-surroundings.ts';
import { isGrave, UNREAD_AROUND, warningsOf } from '../../components/review/warnings.ts';
import { useKeys } from '../../components/single-keys.ts';
import { BriefCallerText } from '../../components/text.tsx';
import { lastVerdict, noteInQueue, placeInQueue, useInboxPlace } from '../../state/inbox-order.ts';
import { useLastList } from '../../state/last-list.ts';
import { useLookedAt } from '../../state/looked-at.ts';
import { go, href } from '../../state/route.ts';
import { useSession } from '../../state/session.ts';
import { useStore } from '../../state/store.ts';
import { useEvery, useLoad } from '../../use-load.ts';
import type { PageProps } from '../page.ts';
import { AlsoNeeded, BeforeYouDecide, RelatedReviews, WhyReview } from './around-review.tsx';
import { CallerSays } from './caller-says.tsx';
import { CaughtMoment } from './caught-moment.tsx';
import { Conversation } from './conversation.tsx';
import { DecisionBehind, useDecisionBehind } from './decision-behind.tsx';
import { FrozenNotes } from './frozen-note.tsx';
import { Outcome } from './outcome.tsx';
import { type Act, useActs } from './use-acts.ts';
import { useQueuePlace } from './use-queue-place.ts';
import { VerdictBar } from './verdict-bar.tsx';

const LIVE_EVERY_MS = 2_000;
/** The beginning tells reviews apart; the rest is for machines. */
const ID_SHOWN = 16;

export default function ReviewPage({ params }: PageProps) {
  const id = params.id!;
  const load = useLoad(id, (signal) => readReview(id, signal));
  const act = useActs(load.value, load.reload);
  const person = useSession()?.person;
  const isAsked = load.value !== null && mayDo(load.value.review, person).mayVote;
  useEvery(LIVE_EVERY_MS, !load.isLoading, load.reload);
  const intent = load.value?.review.intent;
  useLookedAt(
    intent === undefined ? null : { label: titleOf(intent), what: 'review', path: `/reviews/${id}` },
  );
  return (
    <DetailPage
      load={load}
      what="Review"
      back={
        <>
          {isAsked && (
            <button type="button" class="skip" onClick={skipToVerdict}>
              Skip to your verdict
            </button>
          )}
          <Place id={id} />
          <ClockNote />
        </>
      }
      missing={
        <a class="button" href={href('/reviews')}>
          Go to the inbox
        </a>
      }
    >
      {({ review }) => (
        // Another write is another page: what was opened or chosen for the first does not count for it.
        <Shown key={JSON.stringify([review.intentDigest, review.intent])} review={review} act={act} />
      )}
    </DetailPage>
  );
}

function skipToVerdict(): void {
  document.querySelector<HTMLElement>('.verdict-bar button:enabled')?.focus();
}

/** Back to the list, and on to the next review without it. */
function Place({ id }: { readonly id: string }) {
  const list = useLastList();
  const place = useInboxPlace(id);
  const leadTo = (other: string | null = null) => (other === null ? null : () => go(`/reviews/${other}`));
  useKeys({ j: leadTo(place?.next), k: leadTo(place?.previous) });
  return (
    <div class="row back title-row">
      <a href={list?.href ?? href('/reviews')}>{list?.name ?? 'Inbox'}</a>
      {place !== null && (
        <nav class="row" aria-label="Reviews">
          <span class="quiet">{placeInQueue(place)}</span>
          {place.previous !== null && <a href={href(`/reviews/${place.previous}`)}>Previous</a>}
          {place.next !== null && <a href={href(`/reviews/${place.next}`)}>Next</a>}
        </nav>
      )}
    </div>
  );
}

function Shown({ review, act }: { readonly review: Review; readonly act: Act }) {
  const write = useMemo(() => coveredWrite(review.intent), []);
  const amount = amountOf(review.intent);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  // The write stays the same; the review is a new object every two seconds.
  const { askedBy, earlier, allowedLately, excludedByCaller } = review;
  const around = JSON.stringify([askedBy, earlier, allowedLately, excludedByCaller]);
  const nearby = useSurroundings(review);
  const behind = useDecisionBehind(review.decisionId);
  useQueuePlace(review);
  // Null while it is read: nothing is approved before it is known what speaks against it.
  const happened = nearby.value ?? (nearby.failure === null ? null : UNREAD_AROUND);
  const warnings = useMemo(() => warningsOf(review, happened ?? undefined), [around, happened]);
  const decided = useStore(lastVerdict);
  useEffect(() => {
    if (review.state !== 'open') noteInQueue(review.id, 'over');
  }, [review.id, review.state]);
  const { system, objectRef } = review.intent;
  const person = useSession()?.person;
  const may = mayDo(review, person, useIsListed(review));
  const isYours = review.state === 'open' && may.mine.length > 0;
  const foldsLeft = write.folds.filter((fold) => !opened.has(fold)).length;
  return (
    <>
      <div class="decision-head">
        <StateBadge review={review} large use={nearby.value?.usedBy ?? undefined} />
        <h1>
          <WriteTitle target={review.intent} />
        </h1>
      </div>
      <dl class="facts">
        {review.state === 'open' ? (
          <Fact name="Expires in">
            <TimeLeft until={review.expiresAt} since={review.openedAt} />
            <span class="quiet">
              , <Moment at={review.expiresAt} />
            </span>
          </Fact>
        ) : (
          review.resolvedAt !== null && (
            <Fact name="Closed">
              <Moment at={review.resolvedAt} as="full" />
            </Fact>
          )
        )}
        {amount !== null && !titleOf(review.intent).includes(amount) && (
          <Fact name="Amount">
            <BriefCallerText text={amount} />
          </Fact>
        )}
      </dl>
      {review.state === 'rejected' && warnings.some(isGrave) ? (
        <CaughtMoment review={review} isDecidedHere={decided?.id === review.id} />
      ) : (
        <Outcome review={review} usedBy={nearby.value?.usedBy ?? null} />
      )}
      {review.state === 'open' && <FrozenNotes reviews={[review]} />}
      {review.state === 'open' && <BeforeYouDecide warnings={warnings} isYours={isYours} />}
      <div class="stack far with-talk">
        <div class="stack far">
          <CoveredWriteCard
            write={write}
            isYours={isYours}
            isSame={write.digest === review.intentDigest}
            agent={askedBy[0]?.keyName ?? null}
            last={nearby.value?.lastAllowed ?? null}
            opened={opened}
            open={(fold) => setOpened((before) => new Set([...before, fold]))}
          />
          {behind !== null && <DecisionBehind {...behind} />}
          <WhyReview review={review} behind={behind} />
          <AlsoNeeded review={review} />
          <dl class="facts small-text">
            <Fact name="Opened">
              <Moment at={review.openedAt} as="full" />
            </Fact>
            <Fact name="Review ID">
              <code title={review.id}>{review.id.slice(0, ID_SHOWN)}…</code>{' '}
              <CopyButton text={review.id} what="the review ID" />
            </Fact>
          </dl>
        </div>
        <div class="stack far">
          <CallerSays review={review} isYours={isYours} />
          <RelatedReviews review={review} alsoOpen={nearby.value?.alsoOpen ?? []} />
          <Conversation review={review} act={act} />
        </div>
      </div>
      {typeof objectRef === 'string' && (
        <SameObject
          system={String(system)}
          objectRef={objectRef}
          decisions={nearby.value?.decisions ?? null}
          areMore={nearby.value?.areMore ?? false}
          failure={nearby.failure}
          onRetry={nearby.reload}
        />
      )}
      {(review.state !== 'cancelled' || act.done !== null || act.failure !== null) && (
        <VerdictBar
          review={review}
          may={may}
          write={write}
          warnings={warnings}
          areAllKnown={happened !== null}
          foldsLeft={foldsLeft}
          act={act}
        />
      )}
    </>
  );
}
