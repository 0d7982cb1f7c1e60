/** An impact run as callers see it. */
import type { ImpactRun, RunSettings } from '@writecheck/api';
import type { StoredRun } from '@writecheck/store/port/impact';

export function showRun(run: Omit<StoredRun, 'report'>): ImpactRun {
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
