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

/** Nothing if no active freeze stops the write. */
export function FrozenNote({ review }: { readonly review: Review }) {
  const active = useActiveFreezes();
  const freeze = useMemo(() => freezeOf(review, active ?? []), [review.id, review.askedBy.length, active]);
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
