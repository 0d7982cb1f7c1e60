/** What a reviewer should look at before approving, found in the review itself. */
import type { Review } from '@writecheck/api';
import { areLookAlikes, oddCharacters } from '@writecheck/contract';
import { inWords } from '../../picture/durations.ts';
import type { CoveredWrite } from './covered.ts';

const MEMBERS_NAMED = 5;

/** Sentences, with names in backticks; empty if nothing stands out. */
export function warningsOf(review: Review, write: CoveredWrite): readonly string[] {
  const { before, after, rows, metadata } = write;
  const odd = [after, ...rows, ...metadata].filter((row) => row !== null).filter(({ text }) => isOdd(text));
  const warnings: string[] = [];
  if (areLookAlikes(after?.text, before?.text)) warnings.push('The two values look identical but differ.');
  for (const { names } of odd.slice(0, MEMBERS_NAMED))
    warnings.push(`\`${names.join(' › ')}\` has look-alike or hidden characters.`);
  if (odd.length > MEMBERS_NAMED)
    warnings.push(`So do ${odd.length - MEMBERS_NAMED} more members of the write.`);
  if (review.askedBy.some(({ onBehalfOf, justification }) => isOdd(onBehalfOf) || isOdd(justification)))
    warnings.push('What the caller says has look-alike or hidden characters.');
  if (wasRejected(review)) warnings.push('A reviewer rejected the same write in the last 24 hours.');
  const ran = ranBefore(review);
  if (ran !== null) warnings.push(ran);
  const excluded = review.excludedByCaller ?? [];
  if (excluded.length > 0) {
    const names = excluded.map(({ name }) => `\`${name}\``).join(', ');
    warnings.push(`The caller says it asks for ${names}, who therefore may not approve.`);
  }
  return warnings;
}

/** That this very write was allowed, or carried out, shortly before. */
function ranBefore({ allowedLately = [], openedAt }: Review): string | null {
  const last = allowedLately[0];
  if (last === undefined) return null;
  const beforeMs = Date.parse(openedAt) - Date.parse(last.at);
  const when = `${inWords(Math.abs(beforeMs))} ${beforeMs < 0 ? 'after' : 'before'} this request`;
  return last.redeemedAt === null
    ? `The same write was allowed ${when}.`
    : `The same write was allowed ${when}, and carried out.`;
}

export function wasRejected({ earlier = [] }: Review): boolean {
  return earlier.some(({ state }) => state === 'rejected');
}

/** Whether a text hides or imitates characters. A line break is neither. */
export function isOdd(text: string | null): boolean {
  // Most texts are plain, and this runs for every row of the inbox.
  if (text === null || /^[ -~\n]*$/.test(text)) return false;
  return oddCharacters(text).some((odd) => odd !== null && odd.code !== 'U+000A');
}
