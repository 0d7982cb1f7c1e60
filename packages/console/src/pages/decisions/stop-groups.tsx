/** Above a list of stopped writes: what repeats, with its times and a link to exactly that. */
import { BriefCallerText } from '../../components/caller-text.tsx';
import { reasonLabel } from '../../components/decision/reason-labels.ts';
import { scanDecisions } from '../../components/decision/scan-decisions.ts';
import { Moment } from '../../components/moment.tsx';
import { href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';
import { type Filters, timedQueryOf } from './filters.ts';
import { groupStops } from './group-stops.ts';

const SHOWN_MAX = 6;

export function StopGroups({ filters }: { readonly filters: Filters }) {
  const { pages: _page, ...narrowing } = filters;
  return filters.decision === 'pause' || filters.decision === 'block' ? (
    <Groups key={JSON.stringify(narrowing)} filters={narrowing} />
  ) : null;
}

function Groups({ filters }: { readonly filters: Filters }) {
  const { value } = useLoad('stop groups', (signal) => scanDecisions(timedQueryOf(filters), signal));
  const groups = groupStops(value?.rows ?? []).slice(0, SHOWN_MAX);
  // A list of one group is that group.
  if (groups.length === 0 || (groups.length === 1 && groups[0]!.count === value?.rows.length)) return null;
  return (
    <section class="card" aria-labelledby="repeated">
      <h2 id="repeated">What repeats</h2>
      <ul class="brief">
        {groups.map(({ keyId, agent, runId, code, count, from, to }) => (
          <li key={`${keyId} ${runId} ${code}`} class="stop-group">
            <a href={href('/decisions', { ...filters, keyId, runId: runId ?? '', reason_code: code })}>
              {count.toLocaleString('en')} writes of <BriefCallerText text={runId ?? agent} />
            </a>
            <span title={code}>{reasonLabel(code)}</span>
            <span class="quiet small-text">
              <Moment at={from} /> to <Moment at={to} as={isOneDay(from, to) ? 'time' : 'moment'} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function isOneDay(from: string, to: string): boolean {
  return new Date(from).toDateString() === new Date(to).toDateString();
}
