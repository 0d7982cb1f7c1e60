/** Counts the decisions of the list over time, for its chart. */

import type { DecisionCount, DecisionSummary } from '@writecheck/api';
import type { Decision } from '@writecheck/contract';
import { success } from '../../api.ts';
import { countDecisions, nowThere } from '../../calls/decisions.ts';
import { type Bar, OutcomeBars } from '../../components/decision/outcome-bars.tsx';
import { SCAN_MAX, scanDecisions } from '../../components/decision/scan-decisions.ts';
import { rangeBetween, rangeOf, startOf, type TimeRange } from '../../components/decision/time-range.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { mapped } from '../../replies.ts';
import { useEvery, useKept, useLoad } from '../../use-load.ts';
import { type Filters, queryOf } from './filters.ts';
import { TimeTrail } from './time-trail.tsx';

const COUNT_EVERY_MS = 5_000;

interface ChartProps {
  readonly filters: Filters;
  readonly isLive: boolean;
  /** The rows of a search; otherwise the chart counts for itself. */
  readonly rows?: readonly DecisionSummary[] | null;
}

export function OutcomeChart({ filters, isLive, rows }: ChartProps) {
  const { from, to, time } = filters;
  const untilMs = to === undefined ? Date.now() : Date.parse(to);
  const range =
    from === undefined
      ? rangeOf(time === 'all' ? '1y' : (time ?? null))
      : rangeBetween(Date.parse(from), untilMs);
  const { pages: _page, q: _text, ...narrowing } = filters;
  const counted = useLoad(`counts ${JSON.stringify([narrowing, rows?.length])}`, async (signal) => {
    const fromMs = from === undefined ? startOf(range, await nowThere(signal)) : Date.parse(from);
    return rows === undefined ? countOf(filters, range, fromMs, signal) : ofRows(rows ?? [], range, fromMs);
  });
  const { value, failure, isLoading, reload } = counted;
  useEvery(COUNT_EVERY_MS, isLive && rows === undefined && !isLoading, reload);
  const shown = useKept(counted).value;
  if (value === null && failure !== null) return <ErrorNote failure={failure} onRetry={reload} />;
  return (
    <OutcomeBars
      title={
        from === undefined ? (
          <span class="chart-title">{time === 'all' ? 'All time: the last year' : range.label}</span>
        ) : (
          <TimeTrail filters={filters} of={{ fromMs: Date.parse(from), toMs: untilMs }} />
        )
      }
      bars={shown?.bars ?? []}
      range={range}
      filters={filters}
      isUpToNow={to === undefined}
      isLoading={value === null}
    >
      {shown?.isComplete === false && (
        <p class="quiet small-text">Counts cover the newest {SCAN_MAX.toLocaleString('en')} that match.</p>
      )}
    </OutcomeBars>
  );
}

/** The service counts by outcome alone; what other filters let through is counted here. */
export async function countOf(filters: Filters, range: TimeRange, fromMs: number, signal: AbortSignal) {
  const from = new Date(fromMs).toISOString();
  const to = new Date(fromMs + range.bars * range.barMs).toISOString();
  const { decision, ...others } = queryOf(filters);
  const { step } = range;
  if (Object.keys(others).length > 0 || step === 'minute') {
    const scanned = await scanDecisions({ ...queryOf(filters), from, to }, signal);
    if (scanned.kind === 'failure') return scanned;
    return ofRows(scanned.value.rows, range, fromMs, scanned.value.isComplete);
  }
  const only = (count: DecisionCount, each: Decision) =>
    decision === undefined || decision === each ? count[each] : 0;
  return mapped(await countDecisions({ from, to, step }, signal), ({ counts }) => {
    const meant = counts.map((count) => ({
      ...count,
      allow: only(count, 'allow'),
      pause: only(count, 'pause'),
      block: only(count, 'block'),
    }));
    return { bars: barsOf(meant, range, fromMs), isComplete: true };
  });
}

function ofRows(rows: readonly DecisionSummary[], range: TimeRange, fromMs: number, isComplete = true) {
  const counts = rows.map(({ timestamp, decision }) => ({
    from: timestamp,
    allow: 0,
    pause: 0,
    block: 0,
    warn: 0,
    [decision]: 1,
  }));
  return success({ bars: barsOf(counts, range, fromMs), isComplete });
}

function barsOf(
  counts: readonly DecisionCount[],
  { bars, barMs }: TimeRange,
  fromMs: number,
): readonly Bar[] {
  const made = Array.from({ length: bars }, (_, at) => ({
    fromMs: fromMs + at * barMs,
    toMs: fromMs + (at + 1) * barMs,
    counts: { allow: 0, pause: 0, block: 0 },
  }));
  for (const { from, allow, pause, block } of counts) {
    const bar = made[Math.floor((Date.parse(from) - fromMs) / barMs)];
    if (bar === undefined) continue;
    bar.counts.allow += allow;
    bar.counts.pause += pause;
    bar.counts.block += block;
  }
  return made;
}
