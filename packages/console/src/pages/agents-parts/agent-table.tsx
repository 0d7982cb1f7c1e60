/** A table of agents with their checks and the share of each outcome. */

import type { Key } from '@writecheck/api';
import { CallerText } from '../../components/caller-text.tsx';
import { Moment } from '../../components/moment.tsx';
import { href } from '../../state/route.ts';
import { hintOf } from '../workspace-parts/key-table.tsx';
import { stateOf } from '../workspace-parts/keys-api.ts';
import { type AgentRates, type DayRate, inPercent, isRising, shareOf } from './agent-rates.ts';
import { OutcomeBar } from './outcome-bar.tsx';

interface Totals {
  readonly checks: number;
  readonly pause: number;
  readonly block: number;
}

export function totalsOf(days: readonly DayRate[]): Totals {
  const sum = (member: 'checks' | 'pause' | 'block') => days.reduce((total, each) => total + each[member], 0);
  return { checks: sum('checks'), pause: sum('pause'), block: sum('block') };
}

export function AgentTable({
  rates,
  keys,
  caption,
}: {
  readonly rates: AgentRates;
  readonly keys: readonly Key[];
  readonly caption: string;
}) {
  const checking = keys.filter(({ kind }) => kind === 'development' || kind === 'live');
  const rows = checking
    .map((key) => ({ key, days: rates.byKey.get(key.id) ?? [] }))
    .filter(({ key, days }) => stateOf(key, Date.now()) === 'usable' || days.length > 0)
    .sort((a, b) => totalsOf(b.days).checks - totalsOf(a.days).checks);
  if (rows.length === 0)
    return (
      <p class="quiet">
        No agents yet. <a href={href('/keys')}>Create a key</a> for each agent.
      </p>
    );
  return (
    <>
      <table class="panel agents">
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col" class="number">
              Checks
            </th>
            <th scope="col" class="number">
              Paused
            </th>
            <th scope="col" class="number">
              Blocked
            </th>
            <th scope="col" class="wide-only">
              <span class="hidden">Share of outcomes</span>
            </th>
            <th scope="col" class="wide-only">
              Last used
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, days }) => (
            <Row key={key.id} of={key} days={days} />
          ))}
        </tbody>
      </table>
      {!rates.isComplete && (
        <p class="quiet small-text">
          Counted from the newest 2,000 paused and 2,000 blocked writes; earlier ones are left out.
        </p>
      )}
    </>
  );
}

function Row({ of, days }: { readonly of: Key; readonly days: readonly DayRate[] }) {
  const { checks, pause, block } = totalsOf(days);
  const state = stateOf(of, Date.now());
  return (
    <tr>
      <th scope="row">
        <a href={href(`/agents/${of.id}`)}>
          <CallerText text={of.name} />
        </a>{' '}
        {isRising(days) && <span class="tag">Pauses rise</span>}
        <span class="key-line small-text quiet">
          {of.kind} <code>{hintOf(of)}</code>
          {state !== 'usable' && ` · ${state}`}
        </span>
      </th>
      <td class="number">{checks.toLocaleString('en')}</td>
      <td class="number">
        {pause.toLocaleString('en')}{' '}
        {pause > 0 && <span class="quiet small-text">{inPercent(shareOf(pause, checks))}</span>}
      </td>
      <td class="number">
        {block.toLocaleString('en')}{' '}
        {block > 0 && <span class="quiet small-text">{inPercent(shareOf(block, checks))}</span>}
      </td>
      <td class="wide-only share">
        <OutcomeBar checks={checks} pause={pause} block={block} />
      </td>
      <td class="wide-only">
        {of.lastUsedAt === null ? <span class="quiet">never</span> : <Moment at={of.lastUsedAt} as="ago" />}
      </td>
    </tr>
  );
}
