/** Impact runs, which try a bundle on recorded traffic, and promotions of observing profiles. */
import { DECISIONS, RUN_STATES } from '@writecheck/contract';
import { bodyOf, boundary, choice, type Field, flag, name, optional, wholeNumber } from './fields.ts';
import { BODY_ERRORS, operations } from './operation.ts';
import { DOCUMENT, documentList } from './policies.ts';
import {
  absent,
  count,
  described,
  list,
  nullable,
  number,
  object,
  share,
  type TypeOf,
  text,
  time,
  whole,
} from './shape.ts';
import { WHO } from './who.ts';

export const RUNS_LISTED_MAX = 1_000;
const DAYS_MAX = 36_500;

const baseline = choice('running', 'recorded');
const SETTINGS = {
  by: WHO,
  candidate: object({ digest: nullable(text), revision: nullable(whole) }),
  baseline,
  from: time,
  to: time,
  system: nullable(text),
  workflowId: nullable(text),
  includeDevelopment: flag,
};
const RUN = object({
  id: text,
  state: choice(...RUN_STATES),
  progress: object({ done: count, total: count }),
  startedAt: time,
  finishedAt: nullable(time),
  ...SETTINGS,
  because: nullable(text),
  digest: nullable(text),
});
const SETTINGS_SHAPE = object(SETTINGS);

const OUTCOMES = object({ allow: count, pause: count, block: count });
const CELLS = object({ allow: OUTCOMES, pause: OUTCOMES, block: OUTCOMES });
const MATRIX = object({ decisions: CELLS, intents: CELLS });
const SIDE = object({ decision: choice(...DECISIONS), reason_code: text });
const CHANGED = object({
  decisions: count,
  intents: count,
  share,
  agents: count,
  systems: count,
  workflows: count,
  objects: count,
  byCode: list(object({ code: text, decisions: count, intents: count })),
  byProfile: list(object({ profile: nullable(text), decisions: count, intents: count })),
  // Absent in a report of 0.1.
  recorded: absent(described('different writes by the decision in the log', OUTCOMES)),
  examples: list(object({ decision_id: text, before: SIDE, after: SIDE, recorded: absent(SIDE) })),
});
const RULE = object({ id: text, applied: count, decided: count });
const REPORT = object({
  coverage: object({
    decisions: count,
    replayed: count,
    notReplayed: object({
      pruned: count,
      version: count,
      frozen: count,
      signature: count,
      use: count,
      review: count,
      facts: count,
    }),
  }),
  matrix: object({ decision: MATRIX, evaluatedDecision: MATRIX }),
  newlyStopped: CHANGED,
  newlyAllowed: CHANGED,
  rules: object({
    profiles: list(object({ id: text, version: nullable(text), applied: count, decided: count })),
    workflows: list(RULE),
    controls: list(RULE),
  }),
  approximate: flag,
});
const ASSESSMENT = object({
  id: text,
  digest: text,
  verdict: choice('ready', 'not_ready'),
  reasons: list(object({ code: choice('days', 'decisions', 'stopped'), have: number, need: number })),
  status: choice('promoted', 'forced'),
  profile: text,
  version: nullable(text),
  assessedAt: time,
  observingSince: time,
  thresholds: object({ minDays: number, minDecisions: count, maxStopped: share }),
  runRef: text,
  decisions: count,
  stopped: object({
    decisions: count,
    share,
    redeemed: count,
    approved: count,
    byCode: list(object({ code: text, decisions: count })),
  }),
  byKey: list(object({ keyId: text, name: nullable(text), decisions: count, stopped: count })),
});

/** What was requested, as it is stored and shown. */
export type RunSettings = TypeOf<typeof SETTINGS_SHAPE>;
export type ImpactRun = TypeOf<typeof RUN>;
export type ImpactReport = TypeOf<typeof REPORT>;
/** Numbers of decisions by what they were and what they become; of intents, each digest counts once in every cell. */
export type Matrix = TypeOf<typeof MATRIX>;
/** Decisions that the candidate turns from an allow into a stop, or the other way round. */
export type Changed = TypeOf<typeof CHANGED>;
export type Assessment = TypeOf<typeof ASSESSMENT>;

function numberFrom(least: number, most: number): Field<number> {
  return {
    schema: { type: 'number', minimum: least, maximum: most },
    isRequired: true,
    read: (value) =>
      typeof value === 'number' && value >= least && value <= most
        ? { value }
        : { fault: `must be a number from ${least} to ${most}` },
  };
}

export const IMPACT = operations({
  startImpactRun: {
    route: 'POST /v1/policies/impact',
    access: 'managing',
    summary: 'try `documents`, a `revision` or the running bundle (`current`) on recorded decisions',
    body: bodyOf({
      documents: optional(documentList),
      // Any number: one without a revision is not found.
      revision: optional(wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)),
      current: optional(flag),
      from: optional(boundary),
      to: optional(boundary),
      system: optional(name),
      workflowId: optional(name),
      includeDevelopment: optional(flag),
      baseline: optional(baseline),
    }),
    answers: { 202: ['the run, which continues in the background', object({ run: RUN })] },
    errors: [...BODY_ERRORS, 'not_found', 'invalid_policy', 'run_in_progress'],
  },
  listImpactRuns: {
    route: 'GET /v1/policies/impact',
    access: 'managing',
    summary: 'the impact runs of the last 90 days, newest first',
    answers: { 200: [`at most ${RUNS_LISTED_MAX}, without their reports`, object({ runs: list(RUN) })] },
    errors: [],
  },
  readImpactRun: {
    route: 'GET /v1/policies/impact/{id}',
    access: 'managing',
    summary: 'an impact run and its report, which grows while it runs',
    answers: { 200: ['the run', object({ run: RUN, report: REPORT })] },
    errors: ['not_found'],
  },
  cancelImpactRun: {
    route: 'DELETE /v1/policies/impact/{id}',
    access: 'managing',
    summary: 'cancel a run; a run that has ended does not change',
    answers: { 200: ['the run', object({ run: RUN })] },
    errors: ['not_found'],
  },
  promoteProfile: {
    route: 'POST /v1/policies/promotions',
    access: 'managing',
    summary: 'assess what an observing profile would have stopped, and with `apply` make it enforce',
    body: bodyOf({
      profile: name,
      minDays: optional(numberFrom(0, DAYS_MAX)),
      minDecisions: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
      maxStopped: optional(numberFrom(0, 1)),
      apply: optional(flag),
      force: optional(flag),
      confirmLoosening: optional(flag),
    }),
    answers: {
      200: [
        'the assessment and the bundle in which it enforces',
        object({
          assessment: ASSESSMENT,
          documents: list(DOCUMENT),
          ifMatch: text,
          applied: absent(object({ revision: count, digest: text })),
        }),
      ],
    },
    errors: [
      ...BODY_ERRORS,
      'not_found',
      'not_observing',
      'run_in_progress',
      'promotion_not_earned',
      'invalid_policy',
      'loosening_unconfirmed',
      'revision_conflict',
      'managed_by_folder',
      'overloaded',
    ],
  },
  readAssessment: {
    route: 'GET /v1/policies/promotions/{id}',
    access: 'managing',
    summary: 'an assessment, kept as long as the workspace exists',
    answers: { 200: ['the assessment', object({ assessment: ASSESSMENT })] },
    errors: ['not_found'],
  },
});
