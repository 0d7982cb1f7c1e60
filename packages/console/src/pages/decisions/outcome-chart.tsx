/** Decisions over time by outcome, as bars and as a table. */
import type { DecisionCount, DecisionSummary } from '@writecheck/api';
import { DECISIONS, type Decision } from '@writecheck/contract';
import { useMemo, useRef } from 'preact/hooks';
import type { Reply } from '../../api.ts';
import { countDecisions, nowThere } from '../../calls/decisions.ts';
import { DataTable } from '../../components/data-table.tsx';
import { SCAN_MAX, scanDecisions } from '../../components/decision/scan-decisions.ts';
import { rangeBetween, rangeOf, startOf, type TimeRange } from '../../components/decision/time-range.ts';
import { DecisionGlyph } from '../../components/decision-badge.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { href } from '../../state/route.ts';
import { useEvery } from '../../use-every.ts';
import { useLoad } from '../../use-load.ts';
import { type Filters, queryOf } from './filters.ts';
import { TimeTrail, within } from './time-trail.tsx';
import { type Stretch, stretchOf, ticksOf } from './time-words.ts';

const COUNT_EVERY_MS = 5_000;

interface Bar extends Stretch {
  readonly counts: { readonly [decision in Decision]: number };
}

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
  const shown = useRef<Counted | null>(null);
  if (value !== null) shown.current = value;
  const bars = shown.current?.bars ?? [];
  const totals = useMemo(() => totalsOf(bars), [bars]);
  if (value === null && failure !== null) return <ErrorNote failure={failure} onRetry={reload} />;
  // An axis without a bar says less than the figures above it.
  const isEmpty = value !== null && DECISIONS.every((decision) => totals[decision] === 0);
  const most = Math.max(1, ...bars.map(({ counts }) => counts.allow + counts.pause + counts.block));
  const ticks = ticksOf(bars, range, to === undefined);
  return (
    <figure class="chart">
      <figcaption>
        {from === undefined ? (
          <span class="chart-title">{range.label}</span>
        ) : (
          <TimeTrail filters={filters} of={{ fromMs: Date.parse(from), toMs: untilMs }} />
        )}
        <ul class="legend">
          {DECISIONS.map((decision) => (
            <li key={decision} class={decision}>
              <a
                href={href('/decisions', {
                  ...filters,
                  pages: '',
                  decision: filters.decision === decision ? '' : decision,
                })}
                aria-current={filters.decision === decision ? 'true' : undefined}
              >
                <DecisionGlyph decision={decision} />
                <strong>{totals[decision].toLocaleString('en')}</strong> {PAST[decision]}
              </a>
            </li>
          ))}
        </ul>
      </figcaption>
      <div class="plot" hidden={isEmpty}>
        <span class="most small-text quiet" aria-hidden="true">
          {most.toLocaleString('en')}
        </span>
        <svg
          viewBox={`0 0 ${range.bars} 100`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${range.label}: ${DECISIONS.map((each) => `${totals[each]} ${PAST[each]}`).join(', ')}`}
        >
          <line class="grid" x1="0" x2={range.bars} y1="50" y2="50" />
          <line class="grid" x1="0" x2={range.bars} y1="0.5" y2="0.5" />
          {ticks
            .filter(({ at }) => at > 0 && at < 1)
            .map(({ at }) => (
              <line key={at} class="grid" x1={at * range.bars} x2={at * range.bars} y1="0" y2="100" />
            ))}
          {bars.map((bar, at) => (
            <BarOf key={bar.fromMs} bar={bar} at={at} most={most} />
          ))}
          <line class="axis" x1="0" x2={range.bars} y1="100" y2="100" />
        </svg>
        {/* For the mouse; the table below has the same links for everybody. */}
        <div class="bar-links" aria-hidden="true">
          {bars.map((bar) => (
            <a key={bar.fromMs} href={within(bar, filters)} title={describe(bar)} tabIndex={-1}>
              <span class="hidden">{describe(bar)}</span>
            </a>
          ))}
        </div>
        <div class="ticks small-text quiet" aria-hidden="true">
          {ticks.map(({ text, at }) => (
            <span key={at} style={{ left: `${at * 100}%` }}>
              {text}
            </span>
          ))}
        </div>
      </div>
      {shown.current?.isComplete === false && (
        <p class="quiet small-text">Counts cover the newest {SCAN_MAX.toLocaleString('en')} that match.</p>
      )}
      <details hidden={isEmpty}>
        <summary>As a table</summary>
        <CountTable bars={bars} range={range} filters={filters} />
      </details>
    </figure>
  );
}

const PAST: { readonly [decision in Decision]: string } = {
  allow: 'allowed',
  pause: 'paused',
  block: 'blocked',
};
/** From the bottom up; stopped writes come first, because they matter most. */
const STACK: readonly Decision[] = ['block', 'pause', 'allow'];

function BarOf({ bar, at, most }: { readonly bar: Bar; readonly at: number; readonly most: number }) {
  let top = 100;
  return (
    <g>
      {STACK.filter((decision) => bar.counts[decision] > 0).map((decision) => {
        // A single decision must stay visible.
        const height = Math.max(1.5, (98 * bar.counts[decision]) / most);
        top -= height;
        return <rect key={decision} class={decision} x={at + 0.14} y={top} width="0.72" height={height} />;
      })}
    </g>
  );
}

interface Counted {
  readonly bars: readonly Bar[];
  readonly isComplete: boolean;
}

/** The service counts by outcome alone; what other filters let through is counted here. */
async function countOf(
  filters: Filters,
  range: TimeRange,
  fromMs: number,
  signal: AbortSignal,
): Promise<Reply<Counted>> {
  const from = new Date(fromMs).toISOString();
  const to = new Date(fromMs + range.bars * range.barMs).toISOString();
  const { decision, ...others } = queryOf(filters);
  const { step } = range;
  if (Object.keys(others).length > 0 || step === 'minute') {
    const scanned = await scanDecisions({ ...queryOf(filters), from, to }, signal);
    if (scanned.kind === 'failure') return scanned;
    return ofRows(scanned.value.rows, range, fromMs, scanned.value.isComplete);
  }
  const outcome = await countDecisions({ from, to, step }, signal);
  if (outcome.kind === 'failure') return outcome;
  const only = (count: DecisionCount, each: Decision) =>
    decision === undefined || decision === each ? count[each] : 0;
  const counts = outcome.value.counts.map((count) => ({
    ...count,
    allow: only(count, 'allow'),
    pause: only(count, 'pause'),
    block: only(count, 'block'),
  }));
  return { ...outcome, value: { bars: barsOf(counts, range, fromMs), isComplete: true } };
}

function ofRows(
  rows: readonly DecisionSummary[],
  range: TimeRange,
  fromMs: number,
  isComplete = true,
): Reply<Counted> {
  const counts = rows.map(({ timestamp, decision }) => ({
    from: timestamp,
    allow: 0,
    pause: 0,
    block: 0,
    warn: 0,
    [decision]: 1,
  }));
  return {
    kind: 'success',
    headers: new Headers(),
    value: { bars: barsOf(counts, range, fromMs), isComplete },
  };
}

function CountTable({
  bars,
  range,
  filters,
}: {
  readonly bars: readonly Bar[];
  readonly range: TimeRange;
  readonly filters: Filters;
}) {
  const filled = bars.filter(({ counts }) => counts.allow + counts.pause + counts.block > 0);
  if (filled.length === 0) return <p class="quiet">No decisions in this time range.</p>;
  return (
    <DataTable
      kind=""
      caption={`Decisions over time, ${range.label.toLowerCase()}`}
      rows={filled.toReversed()}
      idOf={({ fromMs }) => String(fromMs)}
      columns={[
        {
          name: 'from',
          head: 'From',
          isName: true,
          cell: (bar) => <a href={within(bar, filters)}>{stretchOf(bar)}</a>,
        },
        ...DECISIONS.map((decision) => ({
          name: decision,
          head: `${PAST[decision][0]!.toUpperCase()}${PAST[decision].slice(1)}`,
          cell: (bar: Bar) => bar.counts[decision].toLocaleString('en'),
        })),
      ]}
    />
  );
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

function totalsOf(bars: readonly Bar[]): { readonly [decision in Decision]: number } {
  const sum = (decision: Decision) => bars.reduce((total, { counts }) => total + counts[decision], 0);
  return { allow: sum('allow'), pause: sum('pause'), block: sum('block') };
}

function describe(bar: Bar): string {
  const { allow, pause, block } = bar.counts;
  return `${stretchOf(bar)}: ${allow} allowed, ${pause} paused, ${block} blocked`;
}
