/** The agents that were stopped in the last 24 hours, with why. */

import type { AgentStops, Stops } from '../../components/agent/agent-stops.ts';
import { FrozenChip } from '../../components/agent/frozen-chip.tsx';
import { Newest } from '../../components/agent/newest.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { reasonFilter, reasonLabel } from '../../components/decision/reason-labels.ts';
import { OUTCOMES_IN_WORDS } from '../../components/decision-badge.tsx';
import { CallerText } from '../../components/text.tsx';
import { href } from '../../state/route.ts';

const REASONS_SHOWN = 3;

export function StoppedAgents({ stops: { agents, since, isComplete } }: { readonly stops: Stops }) {
  const stopped = agents.filter(({ pause, block }) => pause + block > 0);
  if (stopped.length === 0) return <p class="quiet">No write was stopped.</p>;
  return (
    <>
      <DataTable
        kind="panel agents"
        caption="Agents with stopped writes, last 24 hours"
        rows={stopped}
        idOf={({ keyId }) => keyId}
        columns={columnsOf(since)}
      />
      <Newest areAll={isComplete} />
    </>
  );
}

function columnsOf(since: string): readonly Column<AgentStops>[] {
  const list = (keyId: string, more: { readonly [name: string]: string }) =>
    href('/decisions', { keyId, from: since, ...more });
  return [
    {
      head: 'Agent',
      isName: true,
      cell: (stops) => (
        <>
          <a href={href(`/agents/${stops.keyId}`)}>
            <CallerText text={stops.name} />
          </a>{' '}
          <FrozenChip keyId={stops.keyId} />
        </>
      ),
    },
    ...(['pause', 'block'] as const).map((decision) => ({
      head: OUTCOMES_IN_WORDS[decision],
      kind: 'number',
      cell: (stops: AgentStops) => <Count of={stops[decision]} to={list(stops.keyId, { decision })} />,
    })),
    {
      head: 'Stopped because',
      kind: 'wide-only small-text',
      cell: ({ keyId, reasons }) =>
        reasons.slice(0, REASONS_SHOWN).map(([code, count], at) => (
          <span key={code}>
            {at > 0 && ', '}
            <a href={list(keyId, reasonFilter(code))} title={code}>
              {reasonLabel(code)}
            </a>{' '}
            <span class="quiet">{count.toLocaleString('en')}</span>
          </span>
        )),
    },
  ];
}

function Count({ of, to }: { readonly of: number; readonly to: string }) {
  return of === 0 ? <>0</> : <a href={to}>{of.toLocaleString('en')}</a>;
}
