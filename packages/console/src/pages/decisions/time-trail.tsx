/** Where a chosen time lies, with a way up: "Last 7 days › 17 Nov › 15:00–16:00". */
import { HOUR_MS } from '@writecheck/contract';
import { within } from '../../components/decision/outcome-bars.tsx';
import { startOf, TIME_RANGES } from '../../components/decision/time-range.ts';
import { clockOf, isSameDay, type Stretch, stretchOf } from '../../components/decision/time-words.ts';
import { dayOf } from '../../components/moment.tsx';
import { href } from '../../state/route.ts';
import type { Filters } from './filters.ts';

const WIDE_FROM = ['7d', '30d', '1y'];

export function TimeTrail({ filters, of }: { readonly filters: Filters; readonly of: Stretch }) {
  const { pages: _page, from: _from, to: _to, ...rest } = filters;
  const wide = TIME_RANGES.find(
    (range) => WIDE_FROM.includes(range.name) && startOf(range, Date.now()) <= of.fromMs,
  );
  const above = aboveOf(of);
  return (
    <nav class="trail chart-title" aria-label="Time">
      <a href={href('/decisions', { ...rest, time: wide?.name ?? 'all' })}>{wide?.label ?? 'All time'}</a>
      {above.map(({ words, ...stretch }) => (
        <a key={words} href={within(stretch, filters)}>
          {words}
        </a>
      ))}
      <span aria-current="true">{above.length > 0 ? clockOf(of) : stretchOf(of)}</span>
    </nav>
  );
}

/** The reader's day around it, and the hour. */
function aboveOf({ fromMs, toMs }: Stretch): readonly (Stretch & { readonly words: string })[] {
  const from = new Date(fromMs);
  if (!isSameDay(from, new Date(toMs - 1))) return [];
  const [begin, end] = [new Date(from), new Date(from)];
  begin.setHours(0, 0, 0, 0);
  end.setHours(24, 0, 0, 0);
  const day = { fromMs: begin.getTime(), toMs: end.getTime(), words: dayOf(from) };
  if (fromMs === day.fromMs && toMs === day.toMs) return [];
  const hourMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS;
  const hour = { fromMs: hourMs, toMs: hourMs + HOUR_MS };
  if (toMs > hour.toMs || toMs - fromMs === HOUR_MS) return [day];
  return [day, { ...hour, words: clockOf(hour) }];
}
