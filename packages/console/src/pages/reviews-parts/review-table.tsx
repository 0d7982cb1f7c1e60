/** A table of reviews: those for the user, for others, or closed. */
import type { Review } from '@writecheck/api';
import { BriefCallerText } from '../../components/caller-text.tsx';
import { cutAround } from '../../components/cut-around.ts';
import { Moment } from '../../components/moment.tsx';
import { RevealedText } from '../../components/revealed-text.tsx';
import { useGrowing } from '../../components/use-growing.ts';
import { useMoveByKeys } from '../../components/use-move-by-keys.ts';
import { href } from '../../state/route.ts';
import { ROWS_AT_ONCE } from '../decisions-parts/decision-table.tsx';
import { amountOf } from '../decisions-parts/said-in-intent.ts';
import { titleOf, WriteTitle } from '../decisions-parts/write-title.tsx';
import { nameOf, StateBadge, TimeLeft, whoCan } from './review-words.tsx';
import { isDeceptive, type Picking } from './select-reviews.ts';
import { wasRejected } from './warnings.ts';

type Kind = 'mine' | 'others' | 'closed';

export function ReviewTable({
  reviews,
  caption,
  kind,
  picking,
}: {
  readonly reviews: readonly Review[];
  readonly caption: string;
  readonly kind: Kind;
  readonly picking?: Picking | undefined;
}) {
  useMoveByKeys();
  const drawn = useGrowing(
    reviews.map(({ id }) => id),
    ROWS_AT_ONCE,
  );
  return (
    <table class="decisions reviews">
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {picking !== undefined && (
            <th scope="col" class="pick">
              <span class="hidden">Select</span>
            </th>
          )}
          <th scope="col">Write</th>
          <th scope="col" class="wide-only number">
            Amount
          </th>
          <th scope="col" class="wide-only asker">
            Requested by
          </th>
          <th scope="col" class="wide-only controls">
            {kind === 'others' ? 'Who can decide' : 'Control'}
          </th>
          {kind === 'closed' && (
            <th scope="col" class="state wide-only">
              State
            </th>
          )}
          <th scope="col">{kind === 'closed' ? 'Closed' : 'Expires in'}</th>
        </tr>
      </thead>
      <tbody>
        {reviews.slice(0, drawn).map((review) => (
          <Row key={review.id} review={review} kind={kind} picking={picking} />
        ))}
      </tbody>
    </table>
  );
}

function Row({
  review,
  kind,
  picking,
}: {
  readonly review: Review;
  readonly kind: Kind;
  readonly picking: Picking | undefined;
}) {
  const { intent, askedBy, controls, verdicts } = review;
  const [asker] = askedBy;
  const amount = amountOf(intent);
  const askerName = asker?.keyName ?? asker?.keyId ?? '';
  return (
    <tr>
      {picking !== undefined && <Pick review={review} picking={picking} />}
      <td>
        <a class="target" href={href(`/reviews/${review.id}`)}>
          <WriteTitle target={intent} isBrief />
        </a>{' '}
        {isDeceptive(review) && <span class="warn-tag">look-alike characters</span>}
        {kind !== 'closed' && wasRejected(review) && <span class="warn-tag">rejected before</span>}
        <span class="reason small-text">
          <BriefCallerText text={String(intent.system)} />
          <Values intent={intent} />
        </span>
        <span class="reason small-text phone-line">
          {amount !== null && (
            <>
              <BriefCallerText text={amount} /> ·{' '}
            </>
          )}
          <BriefCallerText text={kind === 'others' ? whoCan(controls) : askerName} />
        </span>
        {kind === 'closed' ? (
          <span class="phone-line state-line">
            <StateBadge review={review} />
          </span>
        ) : (
          <LastComment review={review} />
        )}
      </td>
      <td class="wide-only number">{amount !== null && <BriefCallerText text={amount} />}</td>
      <td class="wide-only small-text">
        {asker !== undefined && (
          <>
            <span class="line">
              <BriefCallerText text={askerName} />
            </span>
            {asker.onBehalfOf !== null && (
              <span class="line quiet">
                for <BriefCallerText text={asker.onBehalfOf} />
              </span>
            )}
            {askedBy.length > 1 && <span class="line quiet">and {askedBy.length - 1} more</span>}
          </>
        )}
      </td>
      <td class="wide-only small-text">
        {kind === 'others' && <span class="line">{whoCan(controls)}</span>}
        {controls.map(({ controlId, approvals }) => (
          <span key={controlId} class="line">
            <BriefCallerText text={controlId} />
            {approvals > 1 && (
              <span class="quiet">
                {' '}
                {verdicts.filter((each) => each.controls.includes(controlId)).length} of {approvals}
              </span>
            )}
          </span>
        ))}
      </td>
      {kind === 'closed' && (
        <td class="wide-only">
          <StateBadge review={review} />
        </td>
      )}
      <td class="when">
        {kind === 'closed' ? (
          <Moment at={review.resolvedAt ?? review.expiresAt} as="ago" />
        ) : (
          <TimeLeft until={review.expiresAt} since={review.openedAt} />
        )}
      </td>
    </tr>
  );
}

/** So that two reviewers do not look at the same write, and a question is not overlooked. */
function LastComment({ review: { comments } }: { readonly review: Review }) {
  const last = comments.at(-1);
  if (last === undefined) return null;
  return (
    <span class="reason small-text">
      <BriefCallerText text={`${nameOf(last.by)}: ${last.text}`} />
    </span>
  );
}

function Pick({ review, picking }: { readonly review: Review; readonly picking: Picking }) {
  const why = picking.whyNot(review);
  return (
    <td class="pick">
      <label title={why ?? undefined}>
        <span class="hidden">
          Select {titleOf(review.intent)}
          {why !== null && `. ${why}`}
        </span>
        <input
          type="checkbox"
          checked={picking.picked.has(review.id)}
          disabled={why !== null}
          onChange={() => picking.toggle(review.id)}
        />
      </label>
    </td>
  );
}

const VALUE_MAX = 40;

function Values({ intent }: { readonly intent: Review['intent'] }) {
  const { agentValue, authorityValue } = intent;
  if (typeof agentValue !== 'string') return null;
  const differs = typeof authorityValue === 'string' && authorityValue !== agentValue;
  const cut = cutAround(agentValue, differs ? authorityValue : '');
  const whole = [...agentValue];
  const shown = differs
    ? cut.left
    : whole.length > VALUE_MAX
      ? `${whole.slice(0, VALUE_MAX).join('')}…`
      : agentValue;
  return (
    <>
      {' · '}
      {differs && (
        <>
          <code>
            <RevealedText text={cut.right} isWary />
          </code>{' '}
          <span aria-hidden="true">→</span>
          <span class="hidden">to</span>{' '}
        </>
      )}
      <code>
        <RevealedText text={shown} isWary={differs} />
      </code>
    </>
  );
}
