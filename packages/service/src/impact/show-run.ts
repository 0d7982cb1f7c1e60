/** An impact run as callers see it. */
import type { RunState } from '@writecheck/contract';
import type { StoredRun } from '../store/port/impact.ts';

/** What was requested, as it is stored and shown. */
export interface RunSettings {
  readonly by: { readonly kind: 'owner_key' | 'service_key' | 'person'; readonly id: string };
  readonly candidate: { readonly digest: string | null; readonly revision: number | null };
  readonly baseline: 'running' | 'recorded';
  readonly from: string;
  readonly to: string;
  readonly system: string | null;
  readonly workflowId: string | null;
  readonly includeDevelopment: boolean;
}

export interface ShownRun extends RunSettings {
  readonly id: string;
  readonly state: RunState;
  readonly progress: { readonly done: number; readonly total: number };
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly because: string | null;
  readonly digest: string | null;
}

export function showRun(run: Omit<StoredRun, 'report'>): ShownRun {
  const settings = JSON.parse(run.settings) as RunSettings;
  return {
    id: run.id,
    state: run.state,
    progress: { done: run.done, total: Math.max(run.done, run.total) },
    startedAt: new Date(run.startedAtMs).toISOString(),
    finishedAt: run.finishedAtMs === null ? null : new Date(run.finishedAtMs).toISOString(),
    by: settings.by,
    candidate: settings.candidate,
    baseline: settings.baseline,
    from: settings.from,
    to: settings.to,
    system: settings.system,
    workflowId: settings.workflowId,
    includeDevelopment: settings.includeDevelopment,
    because: run.because,
    digest: run.digest,
  };
}
