/** On open reviews: a freeze stops the write, whatever the reviewer decides. */
import type { Freeze, Review } from '@writecheck/api';
import { useMemo } from 'preact/hooks';
import { useActiveFreezes } from '../../active-freezes.ts';
import { useAgents } from '../../components/agent/use-agents.ts';
import { freezeOf } from '../../components/freeze/scope-matcher.ts';
import { scopeWithin } from '../../components/freeze/scope-words.ts';
import { Moment } from '../../components/moment.tsx';
import { Told } from '../../components/text.tsx';
import { href } from '../../state/route.ts';

/** By id of the review; those that no active freeze stops are not in it. */
export function useFreezesOf(reviews: readonly Review[]): ReadonlyMap<string, Freeze> {
  const active = useActiveFreezes();
  const asked = reviews.map(({ id, askedBy }) => `${id} ${askedBy.length}`).join();
  return useMemo(
    () =>
      new Map(
        reviews.flatMap((review) => {
          const freeze = freezeOf(review, active ?? []);
          return freeze === null ? [] : [[review.id, freeze]];
        }),
      ),
    [asked, active],
  );
}

/** One for each freeze that stops any of them. */
export function FrozenNotes({ reviews }: { readonly reviews: readonly Review[] }) {
  const freezes = [...useFreezesOf(reviews).values()];
  return [...new Set(freezes)].map((freeze) => (
    <Frozen
      key={freeze.id}
      by={freeze}
      count={freezes.filter((each) => each === freeze).length}
      of={reviews.length}
    />
  ));
}

function Frozen({
  by: { id, scope, createdAt },
  count,
  of,
}: {
  readonly by: Freeze;
  readonly count: number;
  readonly of: number;
}) {
  const words = scopeWithin(scope, useAgents());
  return (
    <p class="note note-care">
      {count < of && `${count} of ${of}: `}
      {count < of ? 'frozen' : 'Frozen'} since <Moment at={createdAt} />: <Told text={words} />. An approval
      has no effect until the freeze is lifted. <a href={href(`/freezes/${id}`)}>Show the freeze</a>
    </p>
  );
}
