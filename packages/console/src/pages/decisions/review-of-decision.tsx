/** On a paused decision: the reviews of its write, or a way to open one. */
import type { Review } from '@writecheck/api';
import { DAY_MS, type DecisionResponse } from '@writecheck/contract';
import { type Bundle, readBundle } from '../../calls/policies.ts';
import { listReviews, openReview } from '../../calls/reviews.ts';
import { ControlName } from '../../components/control-name.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Moment } from '../../components/moment.tsx';
import { endOf, nameOf, whoCan } from '../../components/review/review-words.tsx';
import { StateBadge } from '../../components/review/state-badge.tsx';
import { CallerText, RevealedText } from '../../components/text.tsx';
import { controlIn } from '../../picture/record-facts.ts';
import { go, href } from '../../state/route.ts';
import { useRight } from '../../state/session.ts';
import { useAct } from '../../use-act.ts';
import { useLoad } from '../../use-load.ts';

const SHOWN_MAX = 3;

export function ReviewOfDecision({
  response,
  isSuspect,
}: {
  readonly response: DecisionResponse;
  /** Whether it looks like an attempt to deceive; nobody is offered to open a review then. */
  readonly isSuspect: boolean;
}) {
  const { intentDigest, decision_id: decisionId } = response;
  const offer = isSuspect ? undefined : response.review;
  const { value, failure, reload } = useLoad(`reviews of ${intentDigest}`, (signal) =>
    listReviews({ intentDigest, limit: String(SHOWN_MAX) }, signal),
  );
  const { isBusy, failure: refused, act } = useAct();
  const isAllowed = useRight('openReview');
  const reviews = value?.reviews ?? [];
  // The service lists open reviews first, then the newest.
  const last = reviews[0];
  const running = useLoad('bundle', readBundle);
  const who = running.value === null ? null : whoMayApprove(running.value, offer?.controls ?? []);
  const open = () => act(openReview(decisionId), ({ review }) => go(`/reviews/${review.id}`));
  if (offer === undefined && reviews.length === 0) return null;
  return (
    <section class="of-decision" aria-labelledby="review">
      <h3 id="review">Review</h3>
      <ErrorNote failure={failure} onRetry={reload} />
      {value !== null && offer !== undefined && (
        <p>
          <strong>
            <RevealedText text={standingOf(last)} />
          </strong>
        </p>
      )}
      {reviews.length > 0 && (
        <ul class="brief">
          {reviews.map((review) => (
            <li key={review.id}>
              <StateBadge review={review} /> <a href={href(`/reviews/${review.id}`)}>Show review</a>{' '}
              <span class="quiet small-text">
                <Moment at={review.resolvedAt ?? review.openedAt} as="full" />
                {review.state === 'open' && ` · ${whoCan(review.controls)} can decide it`}
                {review.verdicts.map(({ by, identity, at, comment }) => (
                  <span key={at}>
                    {' · '}
                    <CallerText text={nameOf(by)} />
                    {identity === 'passkey' && ', signed with their passkey'}
                    {comment !== null && (
                      <>
                        : “
                        <CallerText text={comment} />”
                      </>
                    )}
                  </span>
                ))}
              </span>
            </li>
          ))}
        </ul>
      )}
      {isSuspect && last !== undefined && <Suspected last={last} />}
      {offer !== undefined && last?.state === 'rejected' && (
        <p>A reviewer rejected this write. It can be reviewed again 24 hours later.</p>
      )}
      {offer !== undefined && value !== null && mayOpen(last) && (
        <>
          <p>
            A person can approve this write for{' '}
            {offer.controls.map((controlId, at) => [
              at > 0 && ', ',
              <strong key={controlId}>
                <ControlName id={controlId} />
              </strong>,
            ])}
            .{who !== null && ` ${who}.`}
          </p>
          <ErrorNote failure={refused} />
          {isAllowed ? (
            <div class="row">
              <button type="button" class="primary" disabled={isBusy} onClick={open}>
                Open a review
              </button>
            </div>
          ) : (
            <p>The agent or an owner must open the review first.</p>
          )}
        </>
      )}
    </section>
  );
}

/** Says who decides, or what was decided. */
function standingOf(last: Review | undefined): string {
  const end = last === undefined ? null : endOf(last);
  if (last === undefined || end === null) return 'A review decides this write.';
  if (last.state !== 'approved') return `${end}.`;
  if (last.because === undefined)
    return `${end}; waits for the agent, which must check again with the approval.`;
  return last.because === 'used'
    ? `${end}. The agent used the approval.`
    : `${end}; the approval no longer counts.`;
}

/** What is open can be approved by mistake. */
function Suspected({ last: { id, state } }: { readonly last: Review }) {
  if (state !== 'open' && state !== 'approved') return null;
  return (
    <>
      <p>
        {state === 'open'
          ? 'A review of it is open. Reject it so that nobody approves it by mistake.'
          : 'It is approved. If that was a mistake, take the approval back.'}
      </p>
      <div class="row">
        <a class="button primary" href={href(`/reviews/${id}`)}>
          Open the review
        </a>
      </div>
    </>
  );
}

const REJECTION_HOLDS_MS = DAY_MS;

/** Whether opening makes a new review; otherwise the service responds with the last one. */
function mayOpen(last: Review | undefined): boolean {
  if (last === undefined || last.state === 'expired' || last.state === 'cancelled') return true;
  if (last.state === 'rejected') return Date.now() - Date.parse(last.resolvedAt ?? '') > REJECTION_HOLDS_MS;
  return last.state === 'approved' && last.because !== undefined;
}

/** Who could decide a review opened now, by the running policy; null if it does not say. */
function whoMayApprove({ revision, documents }: Bundle, controlIds: readonly string[]): string | null {
  if (revision === 0) return 'Any reviewer can do it, or an owner key';
  const rules = controlIds.flatMap((controlId): readonly Review['controls'][number][] => {
    const rule = controlIn(documents, controlId)?.review;
    if (rule === undefined) return [];
    const {
      groups = null,
      approvals = 1,
      identity = 'person',
      selfReview = false,
    } = rule === true ? {} : rule;
    return [{ controlId, groups, approvals, identity, selfReview }];
  });
  if (rules.length < controlIds.length || rules.length === 0) return null;
  const needsNoPerson = rules.every(({ groups, identity }) => groups === null && identity === 'any');
  return `${whoCan(rules)} can do it${needsNoPerson ? ', or an owner key' : ''}`;
}
