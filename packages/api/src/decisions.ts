/** Checks, the decisions they gave, and their receipts. */
import { DECISIONS, type Decision, type DecisionResponse, OUTCOMES } from '@writecheck/contract';
import { FILTERS, type Filter } from './decision-filters.ts';
import { bodyOf, boundary, choice, type Field, optional } from './fields.ts';
import { BODY_ERRORS, CLOCK_ERRORS, operations } from './operation.ts';
import { OUTCOME_SHAPE } from './outcomes.ts';
import { anyText, cursor, pageLimit } from './query-fields.ts';
import {
  absent,
  anyObject,
  constant,
  count,
  described,
  list,
  nullable,
  type Optional,
  object,
  shape,
  type TypeOf,
  text,
  time,
  whole,
} from './shape.ts';

/** Keeps the response small; without `from`, the range reaches back this far. */
export const COUNTED_DAYS_MAX = { hour: 31, day: 366 } as const;

const decision = choice(...DECISIONS);
const keyName = described('what people call the key', nullable(text));
const SUMMARY = object({
  decision_id: text,
  audit_id: text,
  keyId: text,
  keyName,
  timestamp: time,
  decision,
  evaluatedDecision: decision,
  reason_code: text,
  system: text,
  objectType: nullable(text),
  objectRef: nullable(text),
  field: nullable(text),
  operation: nullable(text),
  workflowId: nullable(text),
  runId: nullable(text),
});
const OUTCOMES_MISSED = described(
  'of the last 30 days: allows whose outcome is unknown, and redeemed ones that have none',
  object({ unknown: count, missing: count }),
);
const RESPONSE = shape<DecisionResponse>({ $ref: '#/components/schemas/Decision' });
const DECIDED = object({
  decision_id: text,
  audit_id: text,
  keyId: text,
  keyName,
  timestamp: time,
  redemption: absent(
    described('when the allow was redeemed, and by which key', object({ redeemedAt: time, keyId: text })),
  ),
  outcome: absent(described('the outcome of the allow, if anybody reported it', OUTCOME_SHAPE)),
  intent: anyObject,
  response: RESPONSE,
});
export const RECEIPT = object({
  version: constant('writecheck.receipt.v1'),
  leaf: text,
  index: whole,
  treeSize: whole,
  proof: list(text),
  checkpoint: text,
});
const COUNT = object({ from: time, allow: count, pause: count, block: count, warn: count });

export type DecisionSummary = TypeOf<typeof SUMMARY>;
export type DecisionDetail = TypeOf<typeof DECIDED>;
export type DecisionCount = TypeOf<typeof COUNT>;

type Filters = {
  readonly [name in Exclude<Filter, 'decision'>]: Field<string | undefined, string> & Optional;
} & {
  readonly decision: Field<Decision | undefined, Decision> & Optional;
};
const filters = Object.fromEntries(
  FILTERS.map(({ name, description }) => [
    name,
    described(description, optional<string, string>(name === 'decision' ? decision : anyText)),
  ]),
) as Filters;

const digest: Field<string> = {
  schema: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' },
  isRequired: true,
  read: (value) =>
    typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value)
      ? { value }
      : { fault: 'must be `sha256:` and 64 hex digits, as in the decision' },
};

/** The contract parses these. */
export const WRITE = shape<object>({
  anyOf: [{ $ref: '#/components/schemas/WriteIntent' }, { $ref: '#/components/schemas/ActionRequest' }],
});
export const CHECK_ERRORS = [
  'rate_limited',
  ...BODY_ERRORS,
  'request_in_flight',
  'idempotency_key_expired',
  'idempotency_key_reused',
  'overloaded',
  'store_unavailable',
  ...CLOCK_ERRORS,
] as const;
const CHECK = {
  access: 'checking',
  frequent: 'check',
  summary: 'check whether a write is allowed',
  body: WRITE,
  answers: { 200: ['allow, pause or block', RESPONSE] },
  errors: [
    ...CHECK_ERRORS,
    'unsupported_schema_version',
    'unknown_member',
    'invalid_intent',
    'quota_exceeded',
  ],
} as const;

export const CHECKS = operations({
  checkWrite: { ...CHECK, route: 'POST /v1/check-write' },
  checkWriteOnOlderPath: { ...CHECK, route: 'POST /api/v1/check-write' },
});

export const DECIDED_WRITES = operations({
  listDecisions: {
    route: 'GET /v1/decisions',
    access: 'either',
    summary: 'decisions, newest first by default',
    query: bodyOf({
      outcome: described(
        'only allows with this outcome; `missing`: past their `validUntil` and without one',
        optional(choice(...OUTCOMES, 'missing')),
      ),
      ...filters,
      from: described('from this time on', optional(boundary)),
      to: described('before this time', optional(boundary)),
      warn: described(
        'only those whose `evaluatedDecision` differs: what enforcing everything would change',
        optional(choice('true')),
      ),
      order: described('default: `newest` first', optional(choice('newest', 'oldest'))),
      limit: optional(pageLimit),
      cursor,
    }),
    answers: {
      200: [
        'a page; `nextCursor` is null at the end',
        object({ decisions: list(SUMMARY), nextCursor: nullable(text) }),
      ],
    },
    errors: ['invalid_request'],
  },
  readDecision: {
    route: 'GET /v1/decisions/{id}',
    access: 'either',
    summary: 'one decision with its intent',
    answers: { 200: ['the decision', DECIDED] },
    errors: ['not_found', 'decision_erased'],
  },
  countDecisions: {
    route: 'GET /v1/decisions/counts',
    access: 'managing',
    summary: 'numbers of decisions by outcome, per hour or per day (UTC), oldest first',
    query: bodyOf({
      from: described('from the hour of this time on', optional(boundary)),
      to: described('hours that begin before this time', optional(boundary)),
      step: described(
        `default: \`day\`; at most ${COUNTED_DAYS_MAX.hour} days by hour, ${COUNTED_DAYS_MAX.day} by day`,
        optional(choice('hour', 'day')),
      ),
    }),
    answers: {
      200: [
        'hours or days without a decision are omitted',
        object({ counts: list(COUNT), outcomes: OUTCOMES_MISSED }),
      ],
    },
    errors: ['invalid_request'],
  },
  readReceipt: {
    route: 'GET /v1/decisions/{id}/receipt',
    access: 'either',
    summary: 'the proof that a decision is in the log',
    answers: { 200: ['the receipt', RECEIPT] },
    errors: ['not_found', 'decision_erased'],
  },
  redeemDecision: {
    route: 'POST /v1/decisions/{id}/redeem',
    access: 'checking',
    summary: 'redeem an allow, once, for the write it allowed',
    isRepeatable: true,
    body: bodyOf({ intentDigest: digest }),
    answers: {
      200: [
        'redeemed now, or before under the same `Idempotency-Key`',
        object({ redeemed: constant(true), redeemedAt: time }),
      ],
    },
    errors: [
      'not_found',
      'insufficient_scope',
      ...BODY_ERRORS,
      'not_redeemable',
      'already_redeemed',
      'idempotency_key_reused',
      'store_unavailable',
      ...CLOCK_ERRORS,
    ],
  },
});
