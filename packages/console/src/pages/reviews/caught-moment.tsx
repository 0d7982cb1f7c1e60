/**
 * The end of an attack: rejected, what it tried to write, who signed, and its proven entry in the log. Right after the
 * verdict the four lines follow each other; later, and for those who want less motion, they simply stand there.
 */
import type { Review } from '@writecheck/api';
import { useEffect, useState } from 'preact/hooks';
import { amountOf } from '../../components/decision/said-in-intent.ts';
import { FreezeLike } from '../../components/freeze/freeze-like.tsx';
import { fieldInWords } from '../../components/member-labels.ts';
import { Moment } from '../../components/moment.tsx';
import { nameOf } from '../../components/review/review-words.tsx';
import { RevealedText } from '../../components/text.tsx';
import { NextReview } from './next-review.tsx';
import { ProvenLine } from './proven-line.tsx';

/** Reviews whose end was shown; coming back to one shows it standing. */
const played = new Set<string>();

/** Such as "The vendor keeps its IBAN." */
function keptInWords(field: string, objectType: unknown): string {
  const what = fieldInWords(field).replace(/^the /, '');
  return `The ${typeof objectType === 'string' ? objectType : 'object'} keeps its ${what}.`;
}

export function CaughtMoment({
  review,
  isDecidedHere,
}: {
  readonly review: Review;
  readonly isDecidedHere: boolean;
}) {
  const [isFirst] = useState(() => !played.has(review.id));
  const isNew = isDecidedHere && isFirst;
  const [asker] = review.askedBy;
  const { agentValue: value, field, objectType } = review.intent;
  // A change of a field moves no money.
  const amount = typeof field === 'string' ? null : amountOf(review.intent);
  const rejection = review.verdicts.find(({ verdict }) => verdict === 'reject');
  useEffect(() => {
    if (!isNew) return;
    played.add(review.id);
    window.scrollTo({ top: 0 });
  }, [isNew]);
  return (
    <section class={`caught-moment block${isNew ? ' is-new' : ''}`} aria-labelledby="caught-moment">
      <svg class="stamp" viewBox="0 0 48 48" width="48" height="48" aria-hidden="true">
        <circle cx="24" cy="24" r="21" />
        <path d="M15 15l18 18M33 15L15 33" />
      </svg>
      <div class="lines">
        <h2 id="caught-moment">
          Rejected.{' '}
          {typeof field === 'string' ? (
            <RevealedText text={keptInWords(field, objectType)} />
          ) : amount === null ? (
            'The agent may not make this write.'
          ) : (
            <>
              <RevealedText text={amount} /> stays where it is.
            </>
          )}
        </h2>
        {typeof value === 'string' && (
          <p class="struck">
            <RevealedText text={value} isWary />
          </p>
        )}
        {rejection !== undefined && (
          <p>
            <RevealedText text={nameOf(rejection.by)} /> rejected it
            {rejection.identity === 'passkey' && ', signed with a passkey'}, <Moment at={rejection.at} />.
          </p>
        )}
        <ProvenLine review={review} />
      </div>
      <div class="row">
        <NextReview after={[review.id]} isFocused={isNew} />
        {asker !== undefined && (
          <FreezeLike intent={review.intent} keyId={asker.keyId} agent={asker.keyName ?? asker.keyId} />
        )}
      </div>
    </section>
  );
}
