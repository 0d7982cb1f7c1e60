/** The names of agents to choose from. Every decision names its own agent, so this serves filters only. */
import { useMemo } from 'preact/hooks';
import { type Reply, success } from '../../api.ts';
import { listDecisions } from '../../calls/decisions.ts';
import { listKeys } from '../../calls/keys.ts';
import { hasRight, session } from '../../state/session.ts';
import { useLoad } from '../../use-load.ts';
import { isAgent } from '../key-limits.ts';

export type Agents = ReadonlyMap<string, string>;
type Named = readonly (readonly [id: string, name: string])[];

/** For those who may not list keys: enough to meet every agent that is at work. */
const LOOKED_THROUGH = '200';
const SHARED_MS = 10_000;

export function useAgents(): Agents {
  const { value } = useLoad('agents', readShared);
  return useMemo(() => new Map(value ?? []), [value]);
}

interface Shared {
  /** The secret of the signed-in user. */
  readonly of: string | undefined;
  readonly atMs: number;
  readonly read: Promise<Reply<Named>>;
}

let shared: Shared | null = null;

/** Many parts of a page need the names; they share one request. */
function readShared(): Promise<Reply<Named>> {
  const of = session.get()?.secret;
  if (shared === null || shared.of !== of || Date.now() - shared.atMs > SHARED_MS) {
    const read = readAgents(new AbortController().signal);
    const begun = { of, atMs: Date.now(), read };
    shared = begun;
    read.then(({ kind }) => {
      if (kind === 'failure' && shared === begun) shared = null;
    });
  }
  return shared.read;
}

async function readAgents(signal: AbortSignal): Promise<Reply<Named>> {
  if (hasRight(session.get()?.person, 'listKeys')) {
    const listed = await listKeys(signal);
    if (listed.kind === 'failure') return listed;
    const checking = listed.value.keys.filter(isAgent);
    return success(checking.map(({ id, name }) => [id, name] as const));
  }
  const recent = await listDecisions({ limit: LOOKED_THROUGH }, signal);
  if (recent.kind === 'failure') return recent;
  const named = recent.value.decisions.map(({ keyId, keyName }) => [keyId, keyName ?? keyId] as const);
  return success(named);
}
