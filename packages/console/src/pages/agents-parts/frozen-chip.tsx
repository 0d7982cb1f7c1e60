/** Says that a freeze stops an agent. */
import { useActiveFreezes } from '../../active-freezes.ts';
import { href } from '../../state/route.ts';
import { stopsAgent } from '../freezes-parts/scope-words.ts';

/** Nothing if no active freeze names this agent, or stops every write. */
export function FrozenChip({ keyId }: { readonly keyId: string }) {
  const stops = (useActiveFreezes() ?? []).flatMap(({ id, scope }) => {
    const what = stopsAgent(scope, keyId);
    return what === null ? [] : [{ id, what }];
  });
  const worst = stops.find(({ what }) => what === 'all') ?? stops[0];
  if (worst === undefined) return null;
  return (
    <a class="chip frozen" href={href(`/freezes/${worst.id}`)}>
      {worst.what === 'all' ? 'frozen' : 'partly frozen'}
    </a>
  );
}
