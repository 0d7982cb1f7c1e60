/** Open reviews and today's outcomes against yesterday up to the same hour. */
import type { DecisionCount } from '@writecheck/api';
import { DECISIONS, type Decision } from '@writecheck/contract';
import { countDecisions, nowThere } from '../../calls/decisions.ts';
import { listReviews } from '../../calls/reviews.ts';
import { lastDay } from '../../components/agent/agent-stops.ts';
import { DecisionGlyph } from '../../components/decision-badge.tsx';
import { Unloaded } from '../../components/loaded.tsx';
import { RevealedText } from '../../components/revealed-text.tsx';
import { countInWords, useOpenReviews } from '../../open-reviews.ts';
import { href } from '../../state/route.ts';
import { useEvery } from '../../use-every.ts';
import { useLoad } from '../../use-load.ts';
import { Unsettled } from './unsettled.tsx';

const HOUR_MS = 3_600_000;
/** More open reviews are counted as this many and more. */
const COUNTED_MAX = '200';
const EVERY_MS = 10_000;
const WORDS: { readonly [decision in Decision]: string } = {
  allow: 'Allowed',
  pause: 'Paused',
  block: 'Blocked',
};

type Totals = { readonly [decision in Decision]: number };

export function OutcomesToday() {
  const open = useOpenReviews();
  const { value, failure, isLoading, reload } = useLoad('today', async (signal) => {
    const nowMs = await nowThere(signal);
    const { from, since } = lastDay(nowMs);
    const to = new Date(nowMs + HOUR_MS).toISOString();
    const asked = { from: new Date(from).toISOString(), to, step: 'hour' } as const;
    const counted = await countDecisions(asked, signal);
    if (counted.kind === 'failure') return counted;
    return {
      ...counted,
      value: {
        today: sumOf(counted.value.counts.filter((count) => Date.parse(count.from) >= since)),
        before: sumOf(counted.value.counts.filter((count) => Date.parse(count.from) < since)),
        since: new Date(since).toISOString(),
        unsettled: counted.value.outcomes,
      },
    };
  });
  useEvery(EVERY_MS, !isLoading, reload);
  const all = useLoad('all open', async (signal) => {
    const listed = await listReviews({ state: 'open', limit: COUNTED_MAX }, signal);
    if (listed.kind === 'failure') return listed;
    const { reviews, nextCursor } = listed.value;
    const groups = [
      ...new Set(reviews.flatMap(({ controls }) => controls.flatMap((each) => each.groups ?? []))),
    ];
    const who =
      groups.length === 0
        ? 'other reviewers decide'
        : `${groups.join(', ')} ${groups.length === 1 ? 'decides' : 'decide'}`;
    return { ...listed, value: { count: reviews.length, areMore: nextCursor !== null, who } };
  });
  useEvery(EVERY_MS, !all.isLoading, all.reload);
  if (value === null) return <Unloaded load={{ failure, reload }} lines={3} />;
  return (
    <>
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
              <a href={href('/decisions', { decision, from: value.since })}>{WORDS[decision]}</a>{' '}
              <span class="quiet small-text">last 24 h</span>
            </dt>
            <dd class="figure">{value.today[decision].toLocaleString('en')}</dd>
            <dd class="small-text quiet">{against(value.today[decision], value.before[decision])}</dd>
          </div>
        ))}
      </dl>
      <Unsettled {...value.unsettled} />
    </>
  );
}

function sumOf(counts: readonly DecisionCount[]): Totals {
  const sum = (decision: Decision) => counts.reduce((total, count) => total + count[decision], 0);
  return { allow: sum('allow'), pause: sum('pause'), block: sum('block') };
}

function against(today: number, before: number): string {
  if (today === before) return 'same as the day before';
  const by = Math.abs(today - before).toLocaleString('en');
  return `${by} ${today > before ? 'more' : 'fewer'} than the day before`;
}
