/** Finds what a recorded allow drew of limits, without parsing the intent. */
import { amountOfSum, type LimitReading, type LimitState } from '@writecheck/contract';
import type { RecordedDraw } from '@writecheck/ledger/log';

/** One limit that applied and whose counter was read. */
interface LimitedDraw {
  readonly state: LimitState;
  readonly reading: LimitReading;
  readonly counted: RecordedDraw;
  /** The amount in millionths; null if nothing could be drawn. */
  readonly amount: bigint | null;
}

/** Hardly any record has readings, so hardly any is parsed. */
const READINGS = Buffer.from(',"readings":[');
const INTENT = Buffer.from(',"intent":');
const NONE: readonly LimitedDraw[] = [];

export function drawsIn(record: Buffer): readonly LimitedDraw[] {
  const readingsAt = record.indexOf(READINGS);
  if (readingsAt === -1) return NONE;
  const intentAt = record.indexOf(INTENT);
  if (readingsAt > intentAt) return NONE;
  const { readings, draws, decision } = JSON.parse(`${record.toString('utf8', 0, intentAt)}}`) as {
    readonly readings: readonly LimitReading[];
    readonly draws: readonly RecordedDraw[];
    readonly decision: { readonly limits?: readonly LimitState[] };
  };
  return readings.map((reading, i): LimitedDraw => {
    const state = decision.limits?.find(({ id }) => id === reading.limit);
    const counted = draws[i];
    if (state === undefined || counted === undefined)
      throw new TypeError('a record does not say what its readings are of');
    return { state, reading, counted, amount: state.draw === null ? null : amountOfSum(state.draw) };
  });
}
