/** A table of reviews, open or closed. */
import { BriefCallerText } from '../../components/caller-text.tsx';
import { Moment } from '../../components/moment.tsx';
import { href } from '../../state/route.ts';
import { StateBadge, TimeLeft, writeTitle } from './review-words.tsx';
import type { Review } from './reviews-api.ts';

export function ReviewTable({
  reviews,
  caption,
  areOpen,
}: {
  readonly reviews: readonly Review[];
  readonly caption: string;
  readonly areOpen: boolean;
}) {
  return (
    <table class="decisions reviews">
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Write</th>
          <th scope="col" class="wide-only">
            Requested by
          </th>
          <th scope="col" class="wide-only">
            Control
          </th>
          {!areOpen && <th scope="col">State</th>}
          <th scope="col">{areOpen ? 'Expires in' : 'Closed'}</th>
        </tr>
      </thead>
      <tbody>
        {reviews.map((review) => (
          <Row key={review.id} review={review} areOpen={areOpen} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ review, areOpen }: { readonly review: Review; readonly areOpen: boolean }) {
  const { system, authorityValue, agentValue } = review.intent;
  const [asker] = review.askedBy;
  return (
    <tr>
      <td>
        <a class="target" href={href(`/reviews/${review.id}`)} onKeyDown={moveByArrows}>
          <BriefCallerText text={writeTitle(review)} />
        </a>
        <span class="reason small-text">
          <BriefCallerText text={String(system)} />
          {typeof agentValue === 'string' && (
            <>
              {' · '}
              {typeof authorityValue === 'string' && (
                <>
                  <BriefCallerText text={authorityValue} />
                  <Arrow />
                </>
              )}
              <BriefCallerText text={agentValue} />
            </>
          )}
        </span>
      </td>
      <td class="wide-only small-text">
        {asker !== undefined && (
          <>
            <span class="line">
              <BriefCallerText text={asker.keyName ?? asker.keyId} />
            </span>
            {asker.onBehalfOf !== null && (
              <span class="line quiet">
                for <BriefCallerText text={asker.onBehalfOf} />
              </span>
            )}
            {review.askedBy.length > 1 && (
              <span class="line quiet">and {review.askedBy.length - 1} more</span>
            )}
          </>
        )}
      </td>
      <td class="wide-only small-text">
        {review.controls.map(({ controlId }) => (
          <span key={controlId} class="line">
            <BriefCallerText text={controlId} />
          </span>
        ))}
      </td>
      {!areOpen && (
        <td>
          <StateBadge review={review} />
        </td>
      )}
      <td class="when">
        {areOpen ? (
          <TimeLeft until={review.expiresAt} />
        ) : (
          <Moment at={review.resolvedAt ?? review.expiresAt} />
        )}
      </td>
    </tr>
  );
}

/** Arrow keys move from row to row; Enter opens one, as with any link. */
function moveByArrows(event: KeyboardEvent & { readonly currentTarget: HTMLAnchorElement }): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.reviews .target')];
  const next = links[links.indexOf(event.currentTarget) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

function Arrow() {
  return (
    <>
      {' '}
      <span aria-hidden="true">→</span>
      <span class="hidden">to</span>{' '}
    </>
  );
}
