/** Impact runs: a candidate tried on recorded traffic. */
import { IMPACT, type ImpactRun, type ReadOf, RUNS_LISTED_MAX, type RunSettings } from '@writecheck/api';
import { REPORTS_KEPT_MS, type StoredRun } from '@writecheck/store/port/impact';
import { authorOf } from '../../exchange/actor.ts';
import { answer, answerText, implement } from '../../exchange/implement.ts';
import { readValue } from '../../exchange/read-json.ts';
import { isRefusal, type Refusal, refuse, refuseAt } from '../../exchange/refusal.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { invalidPolicy, tooManyAtOnce } from '../policies/apply-policy.ts';
import type { BundleSource } from '../policies/bundle-source.ts';
import { BUNDLE_BODY_BYTES_MAX, outlineOf } from '../policies/policy-routes.ts';
import { rangeOf } from './impact-range.ts';
import type { RunOrder } from './impact-runs.ts';

type Start = ReadOf<typeof IMPACT.startImpactRun>;

export function impactRoutes(parts: ServiceParts): readonly Route[] {
  const { impact, store, check } = parts;
  return [
    implement(
      IMPACT.startImpactRun,
      async (call) => {
        const order = await orderOf(parts, call);
        if ('kind' in order) return order;
        const started = await impact.runs.start(order);
        return started.kind === 'refused'
          ? started
          : answer(IMPACT.startImpactRun, 202, { run: showRun(started.run) });
      },
      { limitBytes: BUNDLE_BODY_BYTES_MAX, readsBody: true },
    ),
    implement(IMPACT.listImpactRuns, async ({ actor, context }) => {
      const sinceMs = check.clock.notBefore(context.nowMs) - REPORTS_KEPT_MS;
      const runs = await store.listRuns(actor.workspace, sinceMs, RUNS_LISTED_MAX);
      return answer(IMPACT.listImpactRuns, 200, { runs: runs.map(showRun) });
    }),
    implement(IMPACT.readImpactRun, async ({ actor, params, context }) => {
      const run = await store.findRun(actor.workspace, params.id);
      if (run === null || isForgotten(run, check.clock.notBefore(context.nowMs))) return NO_RUN;
      // The report is stored as JSON, so it need not be parsed.
      const text = `{"run":${JSON.stringify(showRun(run))},"report":${run.report}}`;
      return answerText(IMPACT.readImpactRun, 200, text);
    }),
    implement(IMPACT.cancelImpactRun, async ({ actor, params, context }) => {
      const run = await impact.runs.cancel(actor.workspace, params.id);
      const isGone = run === null || isForgotten(run, check.clock.notBefore(context.nowMs));
      return isGone ? NO_RUN : answer(IMPACT.cancelImpactRun, 200, { run: showRun(run) });
    }),
  ];
}

/** A run as callers see it. */
function showRun(run: Omit<StoredRun, 'report'>): ImpactRun {
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

const NO_RUN = refuse('not_found', 'there is no such run in this workspace, or its report is gone');

/** The store removes it some time after that. */
function isForgotten({ finishedAtMs }: Pick<StoredRun, 'finishedAtMs'>, nowMs: number): boolean {
  return finishedAtMs !== null && finishedAtMs <= nowMs - REPORTS_KEPT_MS;
}

async function orderOf(
  parts: ServiceParts,
  { body, actor, context }: KeyedCall,
): Promise<RunOrder | Refusal> {
  const { impact, store, check } = parts;
  const outlined = await outlineOf(parts.policies.jobs, body, actor.workspace);
  if (outlined.kind === 'refused') return outlined;
  const read = readValue(IMPACT.startImpactRun.body, outlined.value);
  if (read.kind === 'refused') return read;
  const asked = read.value;
  // A decision before the call counts, even in the same millisecond.
  const callMs = Math.max(check.clock.notBefore(context.nowMs), (await store.newestAtMs()) + 1);
  const refusal = refuseChoice(asked);
  if (refusal !== null) return refusal;
  const range = rangeOf(asked, outlined.value, callMs);
  if (isRefusal(range)) return range;
  const { fromMs, toMs } = range;
  const running = await store.currentPolicy(actor.workspace);
  const candidate = await candidateOf(parts, asked, actor.workspace, body, running);
  if (isRefusal(candidate)) return candidate;
  const { system = null, workflowId = null, includeDevelopment = false, baseline = 'running' } = asked;
  const { digest, revision } = candidate;
  return {
    id: impact.runs.newRunId(),
    settings: {
      by: authorOf(actor),
      candidate: { digest, revision },
      baseline,
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      system,
      workflowId,
      includeDevelopment,
    },
    order: {
      workspace: actor.workspace,
      candidate: candidate.text,
      running: running?.documents ?? null,
      baseline,
      fromMs,
      toMs,
      system,
      workflowId,
      includeDevelopment,
      assess: null,
    },
  };
}

function refuseChoice({ documents, revision, current }: Start): Refusal | null {
  const named = [documents, revision, current].filter((member) => member !== undefined).length;
  if (named === 1 && current !== false) return null;
  const message =
    current === false
      ? '`current` can only be `true`; omit it to name `documents` or a `revision`'
      : 'name exactly one of `documents`, `revision` and `current`';
  const pointer = current === false ? '/current' : '';
  return refuseAt(pointer, message);
}

interface Candidate {
  readonly text: string | null;
  readonly digest: string | null;
  readonly revision: number | null;
}

async function candidateOf(
  { store, policies }: ServiceParts,
  { revision, current }: Start,
  workspace: string,
  body: Uint8Array,
  running: { readonly revision: number; readonly digest: string; readonly documents: string } | null,
): Promise<Candidate | Refusal> {
  if (current === true) {
    return {
      text: running?.documents ?? null,
      digest: running?.digest ?? null,
      revision: running?.revision ?? null,
    };
  }
  let source: BundleSource = { kind: 'body', bytes: body };
  if (revision !== undefined) {
    const found = await store.findPolicy(workspace, revision);
    if (found === null) return refuse('not_found', `there is no revision ${revision} in this workspace`);
    source = { kind: 'stored', text: found.documents };
  }
  const examined = await policies.jobs.examine(source, workspace);
  if (examined.kind === 'busy') return tooManyAtOnce();
  if (examined.kind === 'invalid') return invalidPolicy(examined.details);
  const { text, digest } = examined;
  return { text, digest, revision: revision ?? null };
}
