/** The names of agents to choose from. Every decision names its own agent, so this serves filters only. */
import { useMemo } from 'preact/hooks';
import { hasRight } from '../../state/rights.ts';
import { session } from '../../state/session.ts';
import { useLoad } from '../../use-load.ts';
import { listKeys } from '../workspace-parts/keys-api.ts';
import { listDecisions } from './decisions-api.ts';

export type Agents = ReadonlyMap<string, string>;

/** For those who may not list keys: enough to meet every agent that is at work. */
const LOOKED_THROUGH = '200';

export function useAgents(): Agents {
  const { value } = useLoad('agents', readAgents);
  return useMemo(() => new Map(value ?? []), [value]);
}

async function readAgents(signal: AbortSignal) {
  if (hasRight(session.get()?.person, 'listKeys')) {
    const listed = await listKeys(signal);
    if (listed.kind === 'failure') return listed;
    const checking = listed.value.keys.filter(({ kind }) => kind === 'development' || kind === 'live');
    return { ...listed, value: checking.map(({ id, name }) => [id, name] as const) };
  }
  const recent = await listDecisions({ limit: LOOKED_THROUGH }, signal);
  if (recent.kind === 'failure') return recent;
  const named = recent.value.decisions.map(({ keyId, keyName }) => [keyId, keyName ?? keyId] as const);
  return { ...recent, value: named };
}
