/** The names of agents to choose from. Every decision names its own agent, so this serves filters only. */

import { useMemo } from 'preact/hooks';
import type { Reply } from '../../api.ts';
import { listDecisions } from '../../calls/decisions.ts';
import { listKeys } from '../../calls/keys.ts';
import { mapped } from '../../replies.ts';
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
    return mapped(await listKeys(signal), ({ keys }) =>
      keys.filter(isAgent).map(({ id, name }) => [id, name] as const),
    );
  }
  return mapped(await listDecisions({ limit: LOOKED_THROUGH }, signal), ({ decisions }) =>
    decisions.map(({ keyId, keyName }) => [keyId, keyName ?? keyId] as const),
  );
}
