/** Impact runs: a candidate tried on recorded traffic. */

import { BODY_ERRORS, bodyOf, boundary, choice, flag, name, optional, wholeNumber } from '@writecheck/api';
import { type Answer, json, jsonText } from '../../answer.ts';
import type { RunOrder } from '../../impact/impact-desk.ts';
import { showRun } from '../../impact/show-run.ts';
import { authorOf } from '../../people/actor.ts';
import { invalidPolicy, tooManyAtOnce } from '../../policies/apply-policy.ts';
import type { BundleSource } from '../../policies/bundle-source.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import { REPORTS_KEPT_MS, type StoredRun } from '../../store/port/impact.ts';
import { readValue } from '../read-json.ts';
import type { KeyedCall, Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { rangeOf } from './impact-range.ts';
import { objectOf, REPORT, RUN } from './impact-schemas.ts';
import { BUNDLE_BODY_BYTES_MAX, documentList, outlineOf } from './policy-routes.ts';

const RUNS_SHOWN_MAX = 1_000;

const START = bodyOf({
  documents: optional(documentList),
  // Any: a number that no revision has is not found.
  revision: optional(wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)),
  current: optional(flag),
  from: optional(boundary),
  to: optional(boundary),
  system: optional(name),
  workflowId: optional(name),
  includeDevelopment: optional(flag),
  baseline: optional(choice('running', 'recorded')),
});
type Start = Extract<ReturnType<typeof START.read>, { value: unknown }>['value'];

export function impactRoutes(parts: ServiceParts): readonly Route[] {
  return [startRoute(parts), listRoute(parts), readRoute(parts), cancelRoute(parts)];
}

function startRoute(parts: ServiceParts): Route {
  return {
    method: 'POST',
    path: '/v1/policies/impact',
    access: 'managing',
    body: { mediaTypes: ['application/json'], limitBytes: BUNDLE_BODY_BYTES_MAX, schema: START.schema },
    described: {
      operationId: 'startImpactRun',
      summary: 'try `documents`, a `revision` or the running bundle (`current`) on recorded decisions',
      success: {
        202: { description: 'the run, which continues in the background', schema: objectOf({ run: RUN }) },
      },
      errors: [...BODY_ERRORS, 'not_found', 'invalid_policy', 'run_in_progress'],
    },
    handle: async (call) => {
      const order = await orderOf(parts, call);
      if ('kind' in order) return problemAnswer(call.context, order);
      const started = await parts.impact.desk.start(order);
      if (started.kind === 'refused') return problemAnswer(call.context, started);
      return json(202, { run: showRun(started.run) });
    },
  };
}

async function orderOf(
  parts: ServiceParts,
  { body, actor, context }: KeyedCall,
): Promise<RunOrder | Refusal> {
  const { impact, store, check } = parts;
  const outlined = await outlineOf(parts.policies.desk, body, actor.workspace);
  if (outlined.kind === 'refused') return outlined;
  const read = readValue(START, outlined.value);
  if (read.kind === 'refused') return read;
  const asked = read.value;
  // What was decided before the call counts, even in the same millisecond.
  const callMs = Math.max(check.clock.notBefore(context.nowMs), (await store.newestAtMs()) + 1);
  const refusal = refuseChoice(asked);
  if (refusal !== null) return refusal;
  const range = rangeOf(asked, outlined.value, callMs);
  if (range.kind === 'refused') return range;
  const { fromMs, toMs } = range;
  const running = await store.currentPolicy(actor.workspace);
  const candidate = await candidateOf(parts, asked, actor.workspace, body, running);
  if (candidate.kind === 'refused') return candidate;
  const { system = null, workflowId = null, includeDevelopment = false, baseline = 'running' } = asked;
  const { digest, revision } = candidate;
  return {
    id: impact.desk.newRunId(),
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
  return refuse('invalid_request', message, [{ pointer, message }]);
}

interface Candidate {
  readonly kind: 'candidate';
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
      kind: 'candidate',
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
  const examined = await policies.desk.examine(source, workspace);
  if (examined.kind === 'busy') return tooManyAtOnce();
  if (examined.kind === 'invalid') return invalidPolicy(examined.details);
  const { text, digest } = examined;
  return { kind: 'candidate', text, digest, revision: revision ?? null };
}

function listRoute({ store, check }: ServiceParts): Route {
  return {
    method: 'GET',
    path: '/v1/policies/impact',
    access: 'managing',
    described: {
      operationId: 'listImpactRuns',
      summary: 'the impact runs of the last 90 days, newest first',
      success: {
        200: {
          description: `at most ${RUNS_SHOWN_MAX}, without their reports`,
          schema: objectOf({ runs: { type: 'array', items: RUN } }),
        },
      },
      errors: [],
    },
    handle: async ({ actor, context }) => {
      const sinceMs = check.clock.notBefore(context.nowMs) - REPORTS_KEPT_MS;
      const runs = await store.listRuns(actor.workspace, sinceMs, RUNS_SHOWN_MAX);
      return json(200, { runs: runs.map(showRun) });
    },
  };
}

function readRoute({ store, check }: ServiceParts): Route {
  return {
    method: 'GET',
    path: '/v1/policies/impact/{id}',
    access: 'managing',
    described: {
      operationId: 'readImpactRun',
      summary: 'an impact run and its report, which grows while it runs',
      success: { 200: { description: 'the run', schema: objectOf({ run: RUN, report: REPORT }) } },
      errors: ['not_found'],
    },
    handle: async ({ actor, params, context }) => {
      const run = await store.findRun(actor.workspace, params.id!);
      if (run === null || isForgotten(run, check.clock.notBefore(context.nowMs)))
        return problemAnswer(context, NO_RUN);
      return shown(run);
    },
  };
}

/** The store removes it some time after that. */
function isForgotten({ finishedAtMs }: Pick<StoredRun, 'finishedAtMs'>, nowMs: number): boolean {
  return finishedAtMs !== null && finishedAtMs <= nowMs - REPORTS_KEPT_MS;
}

/** The report is stored as JSON, so it need not be parsed. */
function shown(run: StoredRun): Answer {
  return jsonText(200, `{"run":${JSON.stringify(showRun(run))},"report":${run.report}}`);
}

const NO_RUN = refuse('not_found', 'there is no such run in this workspace, or its report is gone');

function cancelRoute({ impact, check }: ServiceParts): Route {
  return {
    method: 'DELETE',
    path: '/v1/policies/impact/{id}',
    access: 'managing',
    described: {
      operationId: 'cancelImpactRun',
      summary: 'cancel a run; a run that has ended does not change',
      success: { 200: { description: 'the run', schema: objectOf({ run: RUN }) } },
      errors: ['not_found'],
    },
    handle: async ({ actor, params, context }) => {
      const run = await impact.desk.cancel(actor.workspace, params.id!);
      const isGone = run === null || isForgotten(run, check.clock.notBefore(context.nowMs));
      return isGone ? problemAnswer(context, NO_RUN) : json(200, { run: showRun(run) });
    },
  };
}
