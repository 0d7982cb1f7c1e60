/** What the log says of the writes that a replay changes. A replay compares two policies; the past may have had a third. */
import type { Changed } from '@writecheck/api';
import { reasonLabel } from '../../components/decision/reason-labels.ts';
import { OUTCOMES_IN_WORDS } from '../../components/decision-badge.tsx';

type RecordedSide = NonNullable<Changed['examples'][number]['recorded']>;
type Recorded = Pick<Changed, 'intents' | 'recorded'>;

/** How many of the newly allowed writes were allowed anyway, or of the newly stopped ones were stopped. Null if none. */
export function asRecorded({ intents, recorded }: Recorded, now: 'allowed' | 'stopped'): string | null {
  if (recorded === undefined) return null;
  const parts = (now === 'allowed' ? (['allow'] as const) : (['pause', 'block'] as const))
    .filter((decision) => recorded[decision] > 0)
    .map((decision) => [recorded[decision], OUTCOMES_IN_WORDS[decision].toLowerCase()] as const);
  if (parts.length === 0) return null;
  const [[count, word], ...more] = parts as [(typeof parts)[number], ...typeof parts];
  if (count === intents)
    return intents === 1 ? `It was ${word} at the time.` : `All ${intents} were ${word} at the time.`;
  const others = more.map(([other, its]) => ` and ${other.toLocaleString('en')} ${its}`).join('');
  return `${count.toLocaleString('en')} of them ${count === 1 ? 'was' : 'were'} ${word}${others} at the time.`;
}

/** For one write, beside what the live policy would say of it. */
export function thenWords({ decision, reason_code }: RecordedSide): string {
  return `At the time: ${OUTCOMES_IN_WORDS[decision].toLowerCase()}, ${reasonLabel(reason_code)}`;
}
