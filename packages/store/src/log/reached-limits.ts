/** Finds the limits that the draw of a recorded allow took to 80 % or 100 %. */
import { amountOfSum } from '@writecheck/contract';
import { drawsIn } from './recorded-draws.ts';

export interface ReachedLimit {
  readonly limit: string;
  /** The digest of its group. */
  readonly group: string;
  /** 100 if one draw passes both. */
  readonly percent: 80 | 100;
}

const NONE: readonly ReachedLimit[] = [];

/** Observing limits are left out. */
export function reachedIn(record: Buffer): readonly ReachedLimit[] {
  return drawsIn(record).flatMap(({ state, reading, amount }): readonly ReachedLimit[] => {
    if (state.observed || amount === null) return NONE;
    const max = amountOfSum(state.max);
    const before = amountOfSum(reading.drawn);
    const after = before + amount;
    const passes = (percent: bigint) => before * 100n < max * percent && after * 100n >= max * percent;
    const { limit, group } = reading;
    if (passes(100n)) return [{ limit, group, percent: 100 }];
    return passes(80n) ? [{ limit, group, percent: 80 }] : NONE;
  });
}
