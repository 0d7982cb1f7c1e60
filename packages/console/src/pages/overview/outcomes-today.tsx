/** Open reviews and today's outcomes against yesterday up to the same hour. */

import type { DecisionCount } from '@writecheck/api';
import type { Answered } from '@writecheck/api/calls';
import { DECISIONS, type Decision, HOUR_MS } from '@writecheck/contract';
import { countDecisions, nowThere } from '../../calls/decisions.ts';
import { listReviews } from '../../calls/reviews.ts';
import { lastDay } from '../../components/agent/agent-stops.ts';
import { counted } from '../../components/counted.ts';
import { DecisionGlyph, OUTCOMES_IN_WORDS } from '../../components/decision-badge.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Unloaded } from '../../components/page.tsx';
import { RevealedText } from '../../components/text.tsx';
import { countInWords, useOpenReviews } from '../../open-reviews.ts';
import { mapped } from '../../replies.ts';
import { href } from '../../state/route.ts';
import { useEvery, useLoad } from '../../use-load.ts';

/** More open reviews are counted as this many and more. */
const COUNTED_MAX = '200';
const EVERY_MS = 10_000;

type Totals = { readonly [decision in Decision]: number };

export function OutcomesToday() {
  const open = useOpenReviews();
  const { value, failure, readAt, isLoading, reload } = useLoad('today', async (signal) => {
    const nowMs = await nowThere(signal);
    const { from, since } = lastDay(nowMs);
    const to = new Date(nowMs + HOUR_MS).toISOString();
    const asked = { from: new Date(from).toISOString(), to, step: 'hour' } as const;
    return mapped(await countDecisions(asked, signal), ({ counts, outcomes: unsettled }) => {
      const hours = counts.filter((count) => Date.parse(count.from) >= since);
      const before = sumOf(counts.filter((count) => !hours.includes(count)));
      return { today: sumOf(hours), before, hours, since: new Date(since).toISOString(), unsettled };
    });
  });
  useEvery(EVERY_MS, !isLoading, reload);
  const all = useLoad('all open', async (signal) => {
    const listed = await listReviews({ state: 'open', limit: COUNTED_MAX }, signal);
    return mapped(listed, ({ reviews, nextCursor }) => {
      const groups = [
        ...new Set(reviews.flatMap(({ controls }) => controls.flatMap((each) => each.groups ?? []))),
      ];
      const who =
        groups.length === 0
          ? 'other reviewers decide'
          : `${groups.join(', ')} ${groups.length === 1 ? 'decides' : 'decide'}`;
      return { count: reviews.length, areMore: nextCursor !== null, who };
    });
  });
  useEvery(EVERY_MS, !all.isLoading, all.reload);
  if (value === null) return <Unloaded load={{ failure, reload }} lines={3} />;
  return (
    <>
      <ErrorNote failure={failure} onRetry={reload} readAt={readAt} />
      <dl class="tiles">
        <div class="tile">
          <dt>
            <a href={href('/reviews')}>Open reviews</a>
          </dt>
          <dd class="figure">{all.value === null ? '–' : (countInWords(all.value) ?? '0')}</dd>
          <dd class="small-text quiet">
            {all.value?.count === 0 ? 'Nothing waits' : `${countInWords(open) ?? 0} for you`}
            {all.value !== null && all.value.count > 0 && open?.count === 0 && (
              <>
                {' '}
                (<RevealedText text={all.value.who} />)
              </>
            )}
          </dd>
        </div>
        {DECISIONS.map((decision) => (
          <div key={decision} class={`tile ${decision}`}>
            <dt>
              <DecisionGlyph decision={decision} />{' '}
              <a href={href('/decisions', { decision, from: value.since })}>{OUTCOMES_IN_WORDS[decision]}</a>{' '}
              <span class="quiet small-text">last 24 h</span>
            </dt>
            <dd class="figure">{value.today[decision].toLocaleString('en')}</dd>
            <dd
              class={`small-text ${isMuchMore(value.today[decision], value.before[decision]) ? 'much-more' : 'quiet'}`}
            >
              {against(value.today[decision], value.before[decision])}
            </dd>
            <dd class="strip">
              <Strip hours={value.hours} since={value.since} decision={decision} />
            </dd>
          </div>
        ))}
      </dl>
      <Unsettled {...value.unsettled} />
    </>
  );
}

const HOURS = 24;

/** The hours of the last day, as in the chart of the decisions; the figure above them says the sum. */
function Strip({
  hours,
  since,
  decision,
}: {
  readonly hours: readonly DecisionCount[];
  readonly since: string;
  readonly decision: Decision;
}) {
  // One scale for all of them: a single block is no tower.
  const most = Math.max(1, ...hours.flatMap((hour) => DECISIONS.map((each) => hour[each])));
  return (
    <svg viewBox={`0 0 ${HOURS} 100`} preserveAspectRatio="none" aria-hidden="true">
      {hours
        .filter((hour) => hour[decision] > 0)
        .map((hour) => {
          const at = (Date.parse(hour.from) - Date.parse(since)) / HOUR_MS;
          const height = Math.max(6, (100 * hour[decision]) / most);
          return <rect key={hour.from} x={at + 0.15} y={100 - height} width="0.7" height={height} />;
        })}
    </svg>
  );
}

/** Worth a colour; below it the words are enough. */
function isMuchMore(today: number, before: number): boolean {
  return today >= 5 && today > 2 * before;
}

function sumOf(counts: readonly DecisionCount[]): Totals {
  const sum = (decision: Decision) => counts.reduce((total, count) => total + count[decision], 0);
  return { allow: sum('allow'), pause: sum('pause'), block: sum('block') };
}

function against(today: number, before: number): string {
  if (today === before) return 'same as the day before';
  const by = Math.abs(today - before).toLocaleString('en');
  const arrow = isMuchMore(today, before) ? '↑ ' : '';
  return `${arrow}${by} ${today > before ? 'more' : 'fewer'} than the day before`;
}

/** Allowed writes of the last 30 days of which nobody knows if they happened; nothing if all is known. */
function Unsettled({ unknown, missing }: Answered<'GET /v1/decisions/counts'>['outcomes']) {
  if (unknown + missing === 0) return null;
  return (
    <p class="note note-warn">
      <strong>Did these happen?</strong>{' '}
      {unknown > 0 && (
        <a href={href('/decisions', { outcome: 'unknown', time: '30d' })}>
          {counted(unknown, 'allowed write')} with an unknown outcome
        </a>
      )}
      {unknown > 0 && missing > 0 && ' and '}
      {missing > 0 && `${counted(missing, 'allowed write')} taken and never reported`} in the last 30 days.
      Look in the target system.
      {missing > 0 && (
        <>
          {' '}
          <a href={href('/decisions', { outcome: 'missing', time: '30d' })}>Every allow without a report</a>{' '}
          includes those that nobody took.
        </>
      )}
    </p>
  );
}
