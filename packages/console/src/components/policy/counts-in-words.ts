/** How many rules a revision tightens and loosens, in words; apart from the counting, which loads the engine. */
import type { ChangeCounts } from './count-changes.ts';

export function countsInWords({ tightens, loosens, unclear }: ChangeCounts): string {
  if (tightens + loosens + unclear === 0) return 'no rule stricter or looser';
  return `tightens ${tightens}, loosens ${loosens}${unclear === 0 ? '' : `, ${unclear} unclear`}`;
}
