/** Decisions over time by outcome, as bars and as a table; each leads to the decisions that it counts. */
import { DECISIONS, type Decision } from '@writecheck/contract';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { href } from '../../state/route.ts';
import { DataTable } from '../data-table.tsx';
import { DecisionGlyph, OUTCOMES_IN_WORDS } from '../decision-badge.tsx';
import type { TimeRange } from './time-range.ts';
import { type Stretch, stretchOf, ticksOf } from './time-words.ts';

/** Of the list of decisions. */
type Filters = { readonly [name: string]: string };

export interface Bar extends Stretch {
  readonly counts: { readonly [decision in Decision]: number };
}

export function OutcomeBars({
  title,
  bars,
  range,
  filters,
  isUpToNow,
  isLoading = false,
  children,
}: {
  readonly title: ComponentChildren;
  readonly bars: readonly Bar[];
  readonly range: TimeRange;
  readonly filters: Filters;
  /** Whether the last bar has not ended. */
  readonly isUpToNow: boolean;
  readonly isLoading?: boolean;
  readonly children?: ComponentChildren;
}) {
  const totals = useMemo(() => totalsOf(bars), [bars]);
  // An axis without a bar says less than the figures above it.
  const isEmpty = !isLoading && DECISIONS.every((decision) => totals[decision] === 0);
  const most = Math.max(1, ...bars.map(({ counts }) => counts.allow + counts.pause + counts.block));
  const ticks = ticksOf(bars, range, isUpToNow);
  return (
    <figure class="chart">
      <figcaption>
        {title}
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
                <strong>{totals[decision].toLocaleString('en')}</strong> {past(decision)}
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
          aria-label={`${range.label}: ${DECISIONS.map((each) => `${totals[each]} ${past(each)}`).join(', ')}`}
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
      {children}
      <details hidden={isEmpty}>
        <summary>As a table</summary>
        <CountTable bars={bars} range={range} filters={filters} />
      </details>
    </figure>
  );
}

function past(decision: Decision): string {
  return OUTCOMES_IN_WORDS[decision].toLowerCase();
}

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
      caption={`Decisions over time: ${range.label}`}
      rows={filled.toReversed()}
      idOf={({ fromMs }) => String(fromMs)}
      columns={[
        {
          head: 'From',
          isName: true,
          cell: (bar) => <a href={within(bar, filters)}>{stretchOf(bar)}</a>,
        },
        ...DECISIONS.map((decision) => ({
          name: decision,
          head: OUTCOMES_IN_WORDS[decision],
          cell: (bar: Bar) => bar.counts[decision].toLocaleString('en'),
        })),
      ]}
    />
  );
}

/** The list, narrowed to a stretch of time. */
export function within({ fromMs, toMs }: Stretch, filters: Filters): string {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  return href('/decisions', { ...filters, pages: '', time: '', from, to });
}

function totalsOf(bars: readonly Bar[]): { readonly [decision in Decision]: number } {
  const sum = (decision: Decision) => bars.reduce((total, { counts }) => total + counts[decision], 0);
  return { allow: sum('allow'), pause: sum('pause'), block: sum('block') };
}

function describe(bar: Bar): string {
  const { allow, pause, block } = bar.counts;
  return `${stretchOf(bar)}: ${allow} allowed, ${pause} paused, ${block} blocked`;
}
