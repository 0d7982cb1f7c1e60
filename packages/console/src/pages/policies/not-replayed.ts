/** Why a replay leaves decisions out, in words. */
import type { ImpactReport } from '@writecheck/api';
import { counted } from '../../components/counted.ts';

type Coverage = ImpactReport['coverage'];

const WHY: { readonly [reason in keyof Coverage['notReplayed']]: string } = {
  evidence: 'with evidence that was not verified then as it would be now',
  facts: 'without the facts that a condition reads',
  frozen: 'stopped by a freeze',
  pruned: 'erased from the log',
  version: 'recorded by a newer version',
};

/** Null if all were replayed. */
export function notReplayed({ decisions, replayed, notReplayed: left }: Coverage): string | null {
  const reasons = (Object.keys(WHY) as (keyof typeof WHY)[]).filter((reason) => left[reason] > 0);
  if (reasons.length === 0) return null;
  const parts = reasons.map((reason) => `${left[reason].toLocaleString('en')} ${WHY[reason]}`);
  return `${counted(decisions - replayed, 'decision')} can’t be replayed: ${parts.join(', ')}.`;
}
