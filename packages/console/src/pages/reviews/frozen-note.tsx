/** On an open review: a freeze stops its write, whatever the reviewer decides. */
import type { Freeze, Review } from '@writecheck/api';
import { useMemo } from 'preact/hooks';
import { useActiveFreezes } from '../../active-freezes.ts';
import { useAgents } from '../../components/agent/use-agents.ts';
import { freezeOf } from '../../components/freeze/scope-matcher.ts';
import { scopeWithin } from '../../components/freeze/scope-words.ts';
import { Moment } from '../../components/moment.tsx';
import { Told } from '../../components/told.tsx';
import { href } from '../../state/route.ts';

/** Null if no active freeze stops the write. */
export function useFreezeOf(review: Review): Freeze | null {
  const active = useActiveFreezes();
  return useMemo(() => freezeOf(review, active ?? []), [review.id, review.askedBy.length, active]);
}

/** The ids of those that an active freeze stops. */
export function useFrozenOf(reviews: readonly Review[]): ReadonlySet<string> {
  const active = useActiveFreezes();
  return useMemo(
    () => new Set(reviews.filter((review) => freezeOf(review, active ?? []) !== null).map(({ id }) => id)),
    [reviews, active],
  );
}

export function FrozenNote({ review }: { readonly review: Review }) {
  const freeze = useFreezeOf(review);
  return freeze !== null && <Frozen by={freeze} />;
}

function Frozen({ by: { id, scope, createdAt } }: { readonly by: Freeze }) {
  const words = scopeWithin(scope, useAgents());
  return (
    <p class="note note-care">
      Frozen since <Moment at={createdAt} />: <Told text={words} />. An approval has no effect until the
      freeze is lifted. <a href={href(`/freezes/${id}`)}>Show the freeze</a>
    </p>
  );
}
