/** Decisions over time by outcome, as bars and as a table. */
import { DECISIONS, type Decision } from '@writecheck/contract';
import { useMemo } from 'preact/hooks';
import { DecisionGlyph } from '../../components/decision-badge.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { dayOf } from '../../components/moment.tsx';
import { href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';
import { type Count, countDecisions, nowThere } from './decisions-api.ts';
import { startOf, type TimeRange } from './time-range.ts';
import { useEvery } from './use-decision-pages.ts';

const COUNT_EVERY_MS = 5_000;

interface Bar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly counts: { readonly [decision in Decision]: number };
}

export function OutcomeChart({ range, isLive }: { readonly range: TimeRange; readonly isLive: boolean }) {
  const { value, failure, isLoading, reload } = useLoad(`counts ${range.name}`, async (signal) => {
    const fromMs = startOf(range, await nowThere(signal));
    const query = {
      from: new Date(fromMs).toISOString(),
      to: new Date(fromMs + range.bars * range.barMs).toISOString(),
      step: range.step,
    };
    const outcome = await countDecisions(query, signal);
    return outcome.kind === 'failure'
      ? outcome
      : { ...outcome, value: barsOf(outcome.value.counts, range, fromMs) };
  });
  useEvery(COUNT_EVERY_MS, isLive && !isLoading, reload);
  const totals = useMemo(() => totalsOf(value ?? []), [value]);
  if (value === null && failure !== null) return <ErrorNote failure={failure} onRetry={reload} />;
  const bars = value ?? [];
  const most = Math.max(1, ...bars.map(({ counts }) => counts.allow + counts.pause + counts.block));
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{range.label}</span>
        <ul class="legend">
          {DECISIONS.map((decision) => (
            <li key={decision} class={decision}>
              <DecisionGlyph decision={decision} />
              <strong>{totals[decision].toLocaleString('en')}</strong> {PAST[decision]}
            </li>
          ))}
        </ul>
      </figcaption>
      <div class="plot">
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
          {bars.map((bar, at) => (
            <BarOf key={bar.fromMs} bar={bar} at={at} most={most} />
          ))}
          <line class="axis" x1="0" x2={range.bars} y1="100" y2="100" />
        </svg>
        <div class="ticks small-text quiet" aria-hidden="true">
          {ticksOf(bars, range).map((tick) => (
            <span key={tick}>{tick}</span>
          ))}
        </div>
      </div>
      <details>
        <summary>As a table</summary>
        <CountTable bars={bars} range={range} />
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
      <title>{describe(bar)}</title>
      <rect class="hit" x={at} y="0" width="1" height="100" />
      {STACK.filter((decision) => bar.counts[decision] > 0).map((decision) => {
        // A single decision must stay visible.
        const height = Math.max(1.5, (98 * bar.counts[decision]) / most);
        top -= height;
        return <rect key={decision} class={decision} x={at + 0.14} y={top} width="0.72" height={height} />;
      })}
    </g>
  );
}

function CountTable({ bars, range }: { readonly bars: readonly Bar[]; readonly range: TimeRange }) {
  const filled = bars.filter(({ counts }) => counts.allow + counts.pause + counts.block > 0);
  if (filled.length === 0) return <p class="quiet">No decisions in this time range.</p>;
  return (
    <table>
      <caption class="hidden">Decisions over time, {range.label.toLowerCase()}</caption>
      <thead>
        <tr>
          <th scope="col">From</th>
          <th scope="col">Allowed</th>
          <th scope="col">Paused</th>
          <th scope="col">Blocked</th>
        </tr>
      </thead>
      <tbody>
        {filled.toReversed().map((bar) => (
          <tr key={bar.fromMs}>
            <th scope="row">
              <a
                href={href('/decisions', {
                  from: new Date(bar.fromMs).toISOString(),
                  to: new Date(bar.toMs).toISOString(),
                })}
              >
                {stretchOf(bar)}
              </a>
            </th>
            {DECISIONS.map((decision) => (
              <td key={decision}>{bar.counts[decision].toLocaleString('en')}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function barsOf(counts: readonly Count[], { bars, barMs }: TimeRange, fromMs: number): readonly Bar[] {
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

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY_MS = 86_400_000;

export function stretchOf({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): string {
  const from = new Date(fromMs);
  if (toMs - fromMs >= DAY_MS) return dayOf(from);
  return `${dayOf(from)}, ${CLOCK.format(from)}–${CLOCK.format(new Date(toMs))}`;
}

function describe(bar: Bar): string {
  const { allow, pause, block } = bar.counts;
  return `${stretchOf(bar)}: ${allow} allowed, ${pause} paused, ${block} blocked`;
}

function ticksOf(bars: readonly Bar[], { barMs, bars: count }: TimeRange): readonly string[] {
  const label = (bar: Bar | undefined) => {
    if (bar === undefined) return '';
    const from = new Date(bar.fromMs);
    return barMs * count <= DAY_MS ? CLOCK.format(from) : dayOf(from);
  };
  return bars.length === 0 ? [] : [label(bars[0]), label(bars[Math.floor(count / 2)]), 'now'];
}
