/** What a first policy asks for: with nothing before it, nothing is stricter or looser. */

import type { PolicyDocument } from '@writecheck/engine';
import { success } from '../../api.ts';
import { Section } from '../../components/page.tsx';
import { read } from '../../components/policy/policy-desk.ts';
import { useKept, useLoad } from '../../use-load.ts';
import { type Place, requirementMap } from './requirement-map.ts';

const SHOWN_MAX = 40;

/** `text` is valid. */
export function FirstRules({ text }: { readonly text: string }) {
  const load = useLoad(text, async () => {
    const documents = (await read(text)) as readonly PolicyDocument[] | null;
    return success(documents && requirementMap(documents).places);
  });
  const places = useKept(load).value ?? [];
  if (places.length === 0) return null;
  return (
    <Section title="New rules">
      <ul class="stack things">
        {places.slice(0, SHOWN_MAX).map((place) => (
          <li key={`${place.kind} ${place.id}`}>
            <p>
              <strong>{place.id}</strong> <span class="quiet small-text">{place.kind.toLowerCase()}</span>
            </p>
            <p class="small-text">{asksFor(place)}</p>
            <p class="quiet small-text">
              for {place.reach}
              {place.when !== null && (
                <>
                  {' '}
                  when <code>{place.when}</code>
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
      {places.length > SHOWN_MAX && <p class="quiet">and {places.length - SHOWN_MAX} more</p>}
    </Section>
  );
}

function asksFor({ kind, own, asksForAuthority }: Place): string {
  const asked = [...own, ...(asksForAuthority ? ['the value of the source of record'] : [])];
  if (kind === 'Limit')
    return asked.length === 0 ? 'Limits' : `Limits; beyond it requires ${asked.join(', ')}`;
  return asked.length === 0 ? 'Requires no control' : `Requires ${asked.join(', ')}`;
}
