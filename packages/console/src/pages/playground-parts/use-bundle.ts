/** The workspace's live bundle, compiled in the page. */
import type { Answered } from '@writecheck/api/calls';
import { compile, EMPTY_SNAPSHOT, type PolicySnapshot } from '@writecheck/engine';
import { useMemo } from 'preact/hooks';
import { call } from '../../api.ts';
import { type Load, useLoad } from '../../use-load.ts';

export type Bundle = Answered<'GET /v1/policies'>;

export interface RunningBundle extends Load<Bundle> {
  /** Null while loading, and if this page's engine cannot compile the bundle. */
  readonly snapshot: PolicySnapshot | null;
}

export function useBundle(workspace: string): RunningBundle {
  const load = useLoad<Bundle>(`bundle ${workspace}`, (signal) =>
    call('GET /v1/policies', { signal, has: { revision: 'number', documents: 'array' } }),
  );
  const snapshot = useMemo(() => (load.value === null ? null : snapshotOf(load.value)), [load.value]);
  return { ...load, snapshot };
}

function snapshotOf({ digest, documents }: Bundle): PolicySnapshot | null {
  if (digest === null) return EMPTY_SNAPSHOT;
  const compiled = compile(documents);
  return compiled.kind === 'snapshot' ? compiled.snapshot : null;
}
