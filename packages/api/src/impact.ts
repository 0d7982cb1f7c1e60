/** Impact: a bundle tried on recorded decisions. */
import { DECISIONS } from '@writecheck/contract';
import { bodyOf, boundary, choice, flag, name, optional, wholeNumber } from './fields.ts';
import { BODY_ERRORS, operations } from './operation.ts';
import { documentList } from './policies.ts';
import { absent, count, described, list, nullable, object, type TypeOf, text } from './shape.ts';

const OUTCOMES = object({ allow: count, pause: count, block: count });
/** Numbers by the decision before and after. */
const CELLS = object({ allow: OUTCOMES, pause: OUTCOMES, block: OUTCOMES });
const SIDE = object({ decision: choice(...DECISIONS), reason_code: text });
const COUNTED = {
  decisions: count,
  intents: described('different writes: a retry is not another one', count),
};
const CHANGED = object({
  ...COUNTED,
  byCode: list(object({ code: text, ...COUNTED })),
  byRule: list(object({ rule: described('`profile:ID`, `workflow:ID` or `limit:ID`', text), ...COUNTED })),
  examples: list(object({ decision_id: text, before: SIDE, after: SIDE })),
});
const REPORT = object({
  coverage: object({
    decisions: count,
    replayed: count,
    notReplayed: object({ pruned: count, version: count, evidence: count, frozen: count, facts: count }),
  }),
  matrix: object({ decisions: CELLS, intents: CELLS }),
  newlyStopped: CHANGED,
  newlyAllowed: CHANGED,
  uncovered: list(
    object({
      system: text,
      objectType: nullable(text),
      field: nullable(text),
      operation: nullable(text),
      decisions: count,
    }),
  ),
  rules: list(object({ rule: text, applied: count, decided: count })),
});
const LINE = object({
  progress: absent(object({ done: count, total: count })),
  report: absent(REPORT),
  error: absent(object({ code: text, message: text })),
});

export type ImpactReport = TypeOf<typeof REPORT>;
/** Numbers of decisions by what they were and what they become. */
export type Cells = TypeOf<typeof CELLS>;
/** Decisions that the candidate turns from an allow into a stop, or the other way round. */
export type Changed = TypeOf<typeof CHANGED>;
/** Has exactly one of its members. */
export type ImpactLine = TypeOf<typeof LINE>;

export const IMPACT = operations({
  tryPolicies: {
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
      includeDevelopment: optional(flag),
    }),
    answers: {
      200: [
        'lines with `progress`, at least one a second, and at the end one with the `report` or an `error`',
        LINE,
        'application/x-ndjson',
      ],
    },
    errors: [...BODY_ERRORS, 'not_found', 'invalid_policy', 'run_in_progress'],
  },
});
