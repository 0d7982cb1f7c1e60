/** Under a row of a search: the members that have what the row itself does not show, with the match marked. */
import { useContext } from 'preact/hooks';
import { FoundText } from '../found-text.ts';
import { labelOf, pathOf } from '../member-labels.ts';
import { BriefCallerText } from '../text.tsx';
import { foundElsewhere } from './found-members.ts';
import type { SaidIntent } from './said-in-intent.ts';

export function FoundElsewhere({ intent, shown }: { readonly intent: SaidIntent; readonly shown: string }) {
  const members = foundElsewhere(useContext(FoundText), intent, shown);
  return (
    <>
      {members.map(({ path, text }) => (
        <span key={pathOf(path)} class="line small-text quiet">
          <BriefCallerText text={labelOf(path) ?? pathOf(path)} />: <BriefCallerText text={text} />
        </span>
      ))}
    </>
  );
}
