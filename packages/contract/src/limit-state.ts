/** Computes from the draws what a decision contains about a limit that applies. */
import { amountOfSum, amountText } from './amount.ts';
import { isoTime } from './iso-time.ts';
import type { Drawn } from './limit-window.ts';

/** Amounts are decimal text, before this draw. */
export interface LimitState {
  readonly id: string;
  readonly version: string | null;
  readonly max: string;
  /** Null if the group cannot be read. */
  readonly drawn: string | null;
  /** Null if it cannot be read, or is negative. */
  readonly draw: string | null;
  readonly remaining: string | null;
  readonly per: string;
  readonly resetsAt: string | null;
  readonly beyond: boolean;
  readonly observed: boolean;
}

/** The content of a counter when a check was decided, or when it was committed. */
export interface LimitReading {
  /** The limit's id. */
  readonly limit: string;
  /** `sha256:` and hex of the RFC 8785 form of the group's texts. */
  readonly group: string;
  readonly drawn: string;
  readonly resetsAt: string | null;
  /** Set while draws of this window may be missing, because the store was restored from a backup. */
  readonly restored?: true;
}

/** A window in which draws may be missing counts as used up until it ends. */
export interface CountedDraws extends Drawn {
  readonly restored: boolean;
}

export function readingOf(
  limit: string,
  group: string,
  { drawn, resetsAtMs, restored }: CountedDraws,
): LimitReading {
  const reading = {
    limit,
    group,
    drawn: amountText(drawn),
    resetsAt: resetsAtMs === null ? null : isoTime(resetsAtMs),
  };
  return restored ? { ...reading, restored } : reading;
}

/** The same limit with another reading: beyond if this draw takes more than is left. */
export function withReading(state: LimitState, { drawn, resetsAt, restored }: LimitReading): LimitState {
  const { max, draw } = state;
  const left = amountOfSum(max) - amountOfSum(drawn);
  const remaining = amountText(left > 0n ? left : 0n);
  const beyond = draw === null || restored === true || amountOfSum(draw) > left;
  return { ...state, drawn, remaining, resetsAt, beyond };
}
