/** Which limits the draw of a recorded allow took to 80 % or 100 %. */
import { amountOfSum, type LimitReading, type LimitState } from '@writecheck/contract';

export interface ReachedLimit {
  readonly limit: string;
  /** The digest of its group. */
  readonly group: string;
  /** 100 if one draw passes both. */
  readonly percent: 80 | 100;
}

/** Nearly no record has readings, so nearly none is parsed. */
const READINGS = Buffer.from(',"readings":[');
const INTENT = Buffer.from(',"intent":');
const NONE: readonly ReachedLimit[] = [];

/** Observing limits are left out. */
export function reachedIn(record: Buffer): readonly ReachedLimit[] {
  const intentAt = record.indexOf(INTENT);
  const readingsAt = record.indexOf(READINGS);
  if (readingsAt === -1 || readingsAt > intentAt) return NONE;
  const { readings, decision } = JSON.parse(`${record.toString('utf8', 0, intentAt)}}`) as {
    readonly readings: readonly LimitReading[];
    readonly decision: { readonly limits?: readonly LimitState[] };
  };
  return (decision.limits ?? []).flatMap(({ id, max, drawn, draw, observed }): readonly ReachedLimit[] => {
    const group = readings.find(({ limit }) => limit === id)?.group;
    if (observed || group === undefined || drawn === null || draw === null) return NONE;
    const before = amountOfSum(drawn);
    const after = before + amountOfSum(draw);
    const passes = (percent: bigint) =>
      before * 100n < amountOfSum(max) * percent && after * 100n >= amountOfSum(max) * percent;
    if (passes(100n)) return [{ limit: id, group, percent: 100 }];
    return passes(80n) ? [{ limit: id, group, percent: 80 }] : NONE;
  });
}
