/** A table of agents with their checks and the share of each outcome. */

import type { Key } from '@writecheck/api';
import { useState } from 'preact/hooks';
import { stateOf } from '../../calls/keys.ts';
import { href } from '../../state/route.ts';
import { type Column, DataTable, type Sorting, sorted } from '../data-table.tsx';
import { reasonFilter, reasonLabel } from '../decision/reason-labels.ts';
import { OUTCOMES_IN_WORDS } from '../decision-badge.tsx';
import { isAgent } from '../key-limits.ts';
import { hintOf } from '../key-table.tsx';
import { Meter } from '../meter.tsx';
import { Moment } from '../moment.tsx';
import { CallerText } from '../text.tsx';
import { type AgentRates, type DayRate, daysOf, inPercent, shareOf, spanOf } from './agent-rates.ts';
import { FrozenChip } from './frozen-chip.tsx';
import { Newest } from './newest.tsx';

interface Totals {
  readonly checks: number;
  readonly pause: number;
  readonly block: number;
}

function totalsOf(days: readonly DayRate[]): Totals {
  const sum = (member: 'checks' | 'pause' | 'block') => days.reduce((total, each) => total + each[member], 0);
  return { checks: sum('checks'), pause: sum('pause'), block: sum('block') };
}

export function AgentTable({ rates, keys }: { readonly rates: AgentRates; readonly keys: readonly Key[] }) {
  const [sorting, setSorting] = useState<Sorting>({ by: 'checks', isReversed: false });
  const checking = keys.filter(isAgent);
  const rows = checking
    .map((key): Row => {
      const days = rates.byKey.get(key.id) ?? [];
      return { key, days, totals: totalsOf(days), reasons: rates.reasons.get(key.id) ?? [] };
    })
    .filter(({ key, days }) => stateOf(key, Date.now()) === 'usable' || days.length > 0);
  const columns = columnsOf(daysOf(rates));
  if (rows.length === 0)
    return (
      <p class="quiet">
        No agents yet. <a href={href('/keys')}>Create a key</a> for each agent.
      </p>
    );
  return (
    <>
      <DataTable
        kind="panel agents"
        caption={`Agents. ${spanOf(rates)}`}
        rows={sorted(rows, columns, sorting)}
        idOf={({ key }) => key.id}
        columns={columns}
        sorting={sorting}
        onSort={setSorting}
      />
      <Newest areAll={rates.isComplete} />
    </>
  );
}

interface Row {
  readonly key: Key;
  readonly days: readonly DayRate[];
  readonly totals: Totals;
  /** Reason codes of what was stopped, commonest first. */
  readonly reasons: readonly (readonly [string, number])[];
}

function columnsOf(days: { readonly from: string; readonly to: string }): readonly Column<Row>[] {
  return [
    {
      name: 'agent',
      head: 'Agent',
      isName: true,
      sortBy: ({ key }) => key.name,
      cell: ({ key }) => {
        const state = stateOf(key, Date.now());
        return (
          <>
            <a href={href(`/agents/${key.id}`)}>
              <CallerText text={key.name} />
            </a>{' '}
            <FrozenChip keyId={key.id} />
            <span class="key-line small-text quiet">
              {key.kind} <code>{hintOf(key)}</code>
              {state !== 'usable' && ` · ${state}`}
            </span>
          </>
        );
      },
    },
    {
      name: 'checks',
      head: 'Checks',
      kind: 'number',
      sortBy: ({ totals }) => totals.checks,
      cell: ({ totals }) => totals.checks.toLocaleString('en'),
    },
    ...(['pause', 'block'] as const).map((outcome) => ({
      head: OUTCOMES_IN_WORDS[outcome],
      kind: 'number',
      sortBy: ({ totals }: Row) => shareOf(totals[outcome], totals.checks),
      cell: ({ totals }: Row) => <Count of={totals[outcome]} among={totals.checks} />,
    })),
    {
      name: 'why',
      head: 'Stopped because',
      kind: 'wide-only small-text',
      cell: ({ key, reasons }) =>
        reasons.slice(0, REASONS_SHOWN).map(([code, count]) => (
          <a
            key={code}
            class="key-line"
            href={href('/decisions', { keyId: key.id, ...reasonFilter(code), ...days })}
            title={code}
          >
            {reasonLabel(code)} <span class="quiet">{count.toLocaleString('en')}</span>
          </a>
        )),
    },
    {
      name: 'share',
      head: 'Share',
      kind: 'wide-only share',
      cell: ({ totals }) => <OutcomeBar {...totals} />,
    },
    {
      name: 'used',
      head: 'Last used',
      kind: 'wide-only',
      sortBy: ({ key }) => Date.parse(key.lastUsedAt ?? '') || 0,
      cell: ({ key }) =>
        key.lastUsedAt === null ? <span class="quiet">never</span> : <Moment at={key.lastUsedAt} as="ago" />,
    },
  ];
}

const REASONS_SHOWN = 2;

function Count({ of, among }: { readonly of: number; readonly among: number }) {
  return (
    <>
      {of.toLocaleString('en')}{' '}
      {of > 0 && <span class="quiet small-text">{inPercent(shareOf(of, among))}</span>}
    </>
  );
}

/** The shares of the outcomes as one bar; the columns beside it have the figures. */
function OutcomeBar({ checks, pause, block }: Totals) {
  const allow = Math.max(0, checks - pause - block);
  const percent = (count: number) => (100 * count) / Math.max(1, allow + pause + block);
  return (
    <Meter
      parts={[
        ['block', percent(block)],
        ['pause', percent(pause)],
        ['allow', percent(allow)],
      ]}
    />
  );
}
