/** Above a list: bursts of stops and values that deceive, each with its times, a link to exactly that, and a way to freeze its agent. */
import type { DecisionSummary } from '@writecheck/api';
import type { Decision } from '@writecheck/contract';
import { useEffect } from 'preact/hooks';
import { type Reply, success } from '../../api.ts';
import { markLookAlikes } from '../../components/decision/details.ts';
import { reasonFilter, reasonLabel } from '../../components/decision/reason-labels.ts';
import { scanDecisions } from '../../components/decision/scan-decisions.ts';
import { Moment } from '../../components/moment.tsx';
import { Section } from '../../components/page.tsx';
import { BriefCallerText } from '../../components/text.tsx';
import { freezing } from '../../state/freezing.ts';
import { href } from '../../state/route.ts';
import { useRight } from '../../state/session.ts';
import { useLoad } from '../../use-load.ts';
import { type Filters, timedQueryOf } from './filters.ts';
import { groupStops, type StopGroup } from './group-stops.ts';

/** Whoever asks for stops sees more of them, and smaller groups. */
const ASKED = { shownMax: 6, from: 3 };
const UNASKED = { shownMax: 3, from: 10 };
/** Of each outcome, the newest; it is read on every visit. */
const LOOKED_THROUGH = 1_000;
const STOPS: readonly Decision[] = ['pause', 'block'];

export function StopGroups({
  filters,
  onBusy,
}: {
  readonly filters: Filters;
  readonly onBusy: (isBusy: boolean) => void;
}) {
  const { pages: _page, ...narrowing } = filters;
  const { value, isLoading } = useLoad(`stop groups ${JSON.stringify(narrowing)}`, (signal) =>
    readStops(narrowing, signal),
  );
  useEffect(() => {
    onBusy(isLoading);
    return () => onBusy(false);
  }, [isLoading]);
  return <Groups filters={narrowing} rows={value ?? []} />;
}

async function readStops(filters: Filters, signal: AbortSignal): Promise<Reply<readonly DecisionSummary[]>> {
  const query = timedQueryOf(filters);
  const asked = STOPS.filter((each) => (query.decision ?? each) === each);
  const rows: DecisionSummary[] = [];
  for (const decision of asked) {
    const scanned = await scanDecisions({ ...query, decision }, signal, LOOKED_THROUGH);
    if (scanned.kind === 'failure') return scanned;
    rows.push(...scanned.value.rows);
  }
  rows.sort((a, b) => b.timestamp.localeCompare(a.timestamp));
  return success(await markLookAlikes(rows, signal));
}

/** `rows` are newest first. */
export function Groups({
  filters,
  rows,
}: {
  readonly filters: Filters;
  readonly rows: readonly DecisionSummary[];
}) {
  const mayFreeze = useRight('createFreeze');
  const { shownMax, from: least } = STOPS.some((each) => each === filters.decision) ? ASKED : UNASKED;
  const groups = groupStops(rows, least)
    .filter((group) => !isShown(group, filters))
    .slice(0, shownMax);
  if (groups.length === 0) return null;
  return (
    <Section title="What repeats">
      <ul class="brief stop-groups">
        {groups.map((group) => {
          const { keyId, agent, runId, code, count, from, to } = group;
          return (
            <li key={`${keyId} ${runId} ${code}`} class="stop-group">
              <a href={href('/decisions', { ...filters, ...exactly(group) })}>
                {count.toLocaleString('en')} writes of <BriefCallerText text={runId ?? agent} />
              </a>
              <span title={code}>{reasonLabel(code)}</span>
              <span class="quiet small-text">
                <Moment at={from} />
                {!isOneSecond(from, to) && (
                  <>
                    {' '}
                    to {!isOneDay(from, to) && isOneDay(to, new Date().toISOString()) && 'today, '}
                    <Moment at={to} as={isOneDay(from, to) ? 'time' : 'moment'} />
                  </>
                )}
              </span>
              {mayFreeze && (
                <button type="button" class="small danger-text" onClick={() => freezing.set({ keyId })}>
                  Freeze <BriefCallerText text={agent} /> …
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function exactly({ keyId, runId, code }: StopGroup): Filters {
  return { keyId, runId: runId ?? '', ...reasonFilter(code) };
}

/** A list of one group is that group. */
function isShown(group: StopGroup, filters: Filters): boolean {
  return Object.entries(exactly(group)).every(([name, value]) => (filters[name] ?? '') === value);
}

function isOneSecond(from: string, to: string): boolean {
  return Math.trunc(Date.parse(from) / 1_000) === Math.trunc(Date.parse(to) / 1_000);
}

function isOneDay(from: string, to: string): boolean {
  return new Date(from).toDateString() === new Date(to).toDateString();
}
