/** Says that a freeze stops an agent. */
import { useActiveFreezes } from '../../active-freezes.ts';
import { href } from '../../state/route.ts';
import { stopsAgent } from '../freeze/scope-words.ts';

/** The first of the freezes that stop the most; null if no active freeze names this agent, or stops every write. */
export function useFrozen(keyId: string) {
  const stops = (useActiveFreezes() ?? []).flatMap(({ id, scope, createdAt }) => {
    const what = stopsAgent(scope, keyId);
    return what === null ? [] : [{ id, what, createdAt, word: what === 'all' ? 'frozen' : 'partly frozen' }];
  });
  return stops.findLast(({ what }) => what === 'all') ?? stops.at(-1) ?? null;
}

/** Nothing for an agent that may write. */
export function FrozenChip({ keyId }: { readonly keyId: string }) {
  const frozen = useFrozen(keyId);
  if (frozen === null) return null;
  return (
    <a class="chip frozen" href={href(`/freezes/${frozen.id}`)}>
      {frozen.word}
    </a>
  );
}
