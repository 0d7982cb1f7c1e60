/** The made-up week of the demo as data, and how each of its writes is filled in. */
import { MINUTE_MS } from '@writecheck/contract';
import data from './week.json' with { type: 'json' };

export interface DemoIntent {
  readonly controlEvidence?: readonly object[];
  readonly metadata?: { readonly context: { readonly requestedBy: string } };
}

interface Writes {
  readonly agent: string;
  /** How many on a workday; without it, one at each of `minutesAgo`, counted from the end of the week. */
  readonly aDay?: number;
  readonly minutesAgo?: readonly number[];
  readonly intent: DemoIntent;
  /** What the agent says if a person has to decide; without it, the agent gives up. */
  readonly ask?: { readonly justification: string };
}

interface Week {
  readonly policies: readonly object[];
  readonly reviewers: readonly { readonly name: string; readonly email: string }[];
  readonly visitor: object;
  readonly agents: readonly string[];
  readonly writes: readonly Writes[];
}

export const WEEK = data as unknown as Week;

/** The same numbers on every machine (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/**
 * Replaces `{n}` with a number and `{run}` with one that many writes share, `"{5..400}"` with an amount, `{a|b}` with
 * one of these, and `{-1m}` with the time of a minute ago.
 */
export function filledIn(intent: DemoIntent, random: () => number, nowMs: number): DemoIntent {
  const number = 1_100 + Math.floor(random() * 8_900);
  const text = JSON.stringify(intent)
    .replaceAll(/"\{(\d+)\.\.(\d+)\}"/g, (_, from, to) =>
      String(Math.round((Number(from) + random() * (Number(to) - Number(from))) * 100) / 100),
    )
    .replaceAll('{n}', String(number))
    .replaceAll('{run}', String(Math.floor(number / 50)))
    .replaceAll(/\{-(\d+)m\}/g, (_, minutes) => new Date(nowMs - Number(minutes) * MINUTE_MS).toISOString())
    .replaceAll(/\{([^{}"]+)\}/g, (_, words) => {
      const choices = (words as string).split('|');
      return choices[Math.floor(random() * choices.length)]!;
    });
  return JSON.parse(text) as DemoIntent;
}

export function policiesWith(identityAge: string): readonly object[] {
  return JSON.parse(JSON.stringify(WEEK.policies).replace('{age}', identityAge)) as readonly object[];
}

/** The same write with its checks made again. */
export function checkedAgain<Intent extends DemoIntent>(intent: Intent, nowMs: number): Intent {
  const checkedAt = new Date(nowMs - MINUTE_MS).toISOString();
  const controlEvidence = intent.controlEvidence?.map((item) => ({ ...item, checkedAt })) ?? [];
  return { ...intent, controlEvidence };
}
