/** One agent's outcomes by day, and what stopped its writes. */
import { DAY_MS } from '@writecheck/contract';
import { success } from '../../api.ts';
import { listDecisions } from '../../calls/decisions.ts';
import { AGENT_DAYS, type AgentRates, daysOf, spanOf } from '../../components/agent/agent-rates.ts';
import { Newest } from '../../components/agent/newest.tsx';
import { stoppedBy } from '../../components/agent/stopped-by.ts';
import { keptDetail, readDetails } from '../../components/decision/details.ts';
import { OutcomeBars } from '../../components/decision/outcome-bars.tsx';
import { reasonFilter, reasonLabel } from '../../components/decision/reason-labels.ts';
import { Section, Unloaded } from '../../components/page.tsx';
import { BriefCallerText } from '../../components/text.tsx';
import { joined } from '../../replies.ts';
import { href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';

/** Each costs a request. */
const READ_MAX = 40;
const STOPPERS_SHOWN = 6;

interface FiguresProps {
  readonly rates: AgentRates;
  /** Of its key. */
  readonly id: string;
}

export function AgentFigures(of: FiguresProps) {
  return (
    <>
      <ByDay {...of} />
      <div class="two even">
        <Section title="Why writes were stopped">
          <Reasons {...of} />
        </Section>
        <Section title="Controls and limits that stopped them">
          <StoppedBy {...of} />
        </Section>
      </div>
    </>
  );
}

const WEEK = { name: '7d', bars: AGENT_DAYS, barMs: DAY_MS, step: 'day' } as const;

function ByDay({ rates, id }: FiguresProps) {
  const bars = (rates.byKey.get(id) ?? []).map(({ day, checks, pause, block }) => ({
    fromMs: Date.parse(day),
    toMs: Date.parse(day) + WEEK.barMs,
    counts: { allow: Math.max(0, checks - pause - block), pause, block },
  }));
  const label = spanOf(rates);
  return (
    <OutcomeBars
      title={<h2 class="chart-title">{label}</h2>}
      bars={bars}
      range={{ ...WEEK, label }}
      filters={{ keyId: id, ...daysOf(rates) }}
      isUpToNow
    >
      <Newest areAll={rates.isComplete} />
    </OutcomeBars>
  );
}

function Reasons({ rates, id }: FiguresProps) {
  const reasons = rates.reasons.get(id) ?? [];
  if (reasons.length === 0) return <p class="quiet">No write was stopped.</p>;
  return (
    <ul class="brief">
      {reasons.map(([code, count]) => (
        <li key={code} class="counted">
          <a href={href('/decisions', { keyId: id, ...reasonFilter(code), ...daysOf(rates) })} title={code}>
            {reasonLabel(code)}
          </a>
          <span>{count.toLocaleString('en')}</span>
        </li>
      ))}
    </ul>
  );
}

/** The controls and limits behind the reasons. */
function StoppedBy({ rates, id }: FiguresProps) {
  const { from } = daysOf(rates);
  const { value, failure, reload } = useLoad(`stopped by ${id}`, async (signal) => {
    const read = await joined(
      (['pause', 'block'] as const).map((decision) =>
        listDecisions({ keyId: id, decision, from, limit: String(READ_MAX) }, signal),
      ),
    );
    if (read.kind === 'failure') return read;
    const newest = read.value
      .flatMap(({ decisions }) => decisions)
      .sort((a, b) => b.timestamp.localeCompare(a.timestamp))
      .slice(0, READ_MAX)
      .map(({ decision_id }) => decision_id);
    await readDetails(newest, signal);
    const details = newest.map(keptDetail).filter((detail) => detail !== undefined);
    return success({ of: details.length, all: stoppedBy(details) });
  });
  if (value === null) return <Unloaded load={{ failure, reload }} lines={3} />;
  if (value.all.length === 0) return <p class="quiet">No control or limit.</p>;
  return (
    <>
      <ul class="brief">
        {value.all.slice(0, STOPPERS_SHOWN).map(({ kind, id: name, writes }) => (
          <li key={`${kind} ${name}`} class="counted">
            <span>
              <a href={kind === 'control' ? href('/policies/map', { find: name }) : href('/limits')}>
                <BriefCallerText text={name} />
              </a>{' '}
              <span class="quiet small-text">{kind}</span>
            </span>
            <span>{writes.toLocaleString('en')}</span>
          </li>
        ))}
      </ul>
      {value.of === READ_MAX && (
        <p class="quiet small-text">
          Of its newest {READ_MAX} stopped writes. One may be stopped by several.
        </p>
      )}
    </>
  );
}
