/** Around the write: which control needs the review, what else is missing, and reviews of like writes. */
import type { Review } from '@writecheck/api';
import { CallerText } from '../../components/caller-text.tsx';
import { Moment } from '../../components/moment.tsx';
import { Told } from '../../components/told.tsx';
import { href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';
import { readDecision } from '../decisions-parts/decisions-api.ts';
import { stateWord } from './review-words.tsx';

export function WhyReview({ review }: { readonly review: Review }) {
  const { decisionId } = review;
  const { value } = useLoad(decisionId, (signal) => readDecision(decisionId, signal));
  const requiredBy = new Map(
    (value?.response.requirementProvenance ?? []).map(({ controlId, sources }) => [controlId, sources]),
  );
  return (
    <section class="card" aria-labelledby="why">
      <h2 id="why">Why it needs a review</h2>
      {value !== null && (
        <p>
          <Told text={value.response.reason} />
        </p>
      )}
      <ul class="brief">
        {review.controls.map((control) => (
          <li key={control.controlId}>
            <strong>
              <CallerText text={control.controlId} />
            </strong>{' '}
            <span class="small-text">{given(review, control)}</span>
            <p class="small-text quiet">
              <Told text={ruleInWords(control)} />
            </p>
            {requiredBy.has(control.controlId) && (
              <p class="small-text quiet">
                Required by{' '}
                {requiredBy.get(control.controlId)!.map((source) => (
                  <span key={source} class="chip">
                    <CallerText text={source} />
                  </span>
                ))}
              </p>
            )}
          </li>
        ))}
      </ul>
      {review.confirms != null && (
        <p class="small-text">
          Approving <CallerText text={review.confirms} /> also confirms that this may be written although the
          authority does not say so.
        </p>
      )}
      {(review.different ?? []).map((controls) => (
        <p key={controls.join()} class="small-text">
          No person’s approval counts for two of <CallerText text={controls.join(', ')} />.
        </p>
      ))}
      {review.state === 'open' && review.alsoNeeded.length === 0 && (
        <p class="small-text">The agent needs nothing else.</p>
      )}
      <p class="small-text">
        <a href={href(`/decisions/${decisionId}`)}>Show the decision</a>
      </p>
    </section>
  );
}

function given({ verdicts }: Review, { controlId, approvals }: Review['controls'][number]): string {
  const count = verdicts.filter(
    ({ verdict, controls }) => verdict === 'approve' && controls.includes(controlId),
  ).length;
  return `${count} of ${approvals} ${approvals === 1 ? 'approval' : 'approvals'}`;
}

const IDENTITIES: { readonly [identity in Review['controls'][number]['identity']]: string } = {
  any: 'An owner key is enough.',
  person: 'The reviewer must be a signed-in person.',
  passkey: 'The reviewer must sign with a passkey.',
};

function ruleInWords({ groups, identity, selfReview }: Review['controls'][number]): string {
  const who =
    groups === null
      ? 'Anyone who may review can approve.'
      : `Only members of ${groups.map((group) => `\`${group}\``).join(', ')} can approve.`;
  return `${who} ${IDENTITIES[identity]} ${selfReview ? 'The requester may approve.' : 'The requester may not approve.'}`;
}

export function AlsoNeeded({ review }: { readonly review: Review }) {
  if (review.alsoNeeded.length === 0) return null;
  return (
    <section class="card" aria-labelledby="also-needed">
      <h2 id="also-needed">What else the agent must supply</h2>
      <ul class="brief">
        {review.alsoNeeded.map(({ gate, controlId, need }) => (
          <li key={`${gate} ${controlId} ${need}`}>
            <Told text={need} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Nothing if nothing stands out. */
export function BeforeYouDecide({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <section class="note note-warn" aria-labelledby="before-you-decide">
      <h2 id="before-you-decide">Before you decide</h2>
      <Warnings warnings={warnings} />
    </section>
  );
}

export function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  return (
    <ul class="warnings">
      {warnings.map((warning) => (
        <li key={warning}>
          <Told text={warning} />
        </li>
      ))}
    </ul>
  );
}

export function EarlierReviews({ review }: { readonly review: Review }) {
  const earlier = review.earlier ?? [];
  if (earlier.length === 0) return null;
  return (
    <section class="card" aria-labelledby="earlier">
      <h2 id="earlier">Same write in the last 24 hours</h2>
      <ul class="brief">
        {earlier.map(({ id, state, at }) => (
          <li key={id}>
            <a href={href(`/reviews/${id}`)}>{stateWord(state)}</a>{' '}
            <span class="quiet small-text">
              <Moment at={at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
