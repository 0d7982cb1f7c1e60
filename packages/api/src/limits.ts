/** Limits: how much of each is drawn, group by group, and how an owner gives back what was drawn in error. */
import { amountOfNumber, amountOfText, amountText } from '@writecheck/contract';
import { bodyOf, choice, type Field, optional } from './fields.ts';
import { BODY_ERRORS, CLOCK_ERRORS, operations } from './operation.ts';
import { cursor, pageLimit } from './query-fields.ts';
import { count, described, list, nullable, object, type TypeOf, text, time } from './shape.ts';
import { writtenText } from './text-fields.ts';

const REASON_CHARACTERS_MAX = 500;
const TEXTS_MAX = 4;

const keyKind = described(
  'whose counters: those of live keys unless it is `development`',
  optional(choice('live', 'development')),
);

const LIMIT = object({
  id: text,
  version: nullable(text),
  per: described('the window', text),
  max: described('decimal text', text),
  groups: described('how many have a draw in the window', count),
});
const GROUP = object({
  group: described('its values, as texts', list(text)),
  drawn: text,
  remaining: text,
  resetsAt: nullable(time),
});
export type LimitGroup = TypeOf<typeof GROUP>;

const group: Field<readonly string[]> = {
  schema: {
    type: 'array',
    items: { type: 'string' },
    maxItems: TEXTS_MAX,
    description: 'its values, as `GET /v1/limits/{id}` shows them',
  },
  isRequired: true,
  read: (value) =>
    Array.isArray(value) && value.length <= TEXTS_MAX && value.every((one) => typeof one === 'string')
      ? { value }
      : { fault: 'must be a list of texts, as `GET /v1/limits/{id}` shows it' },
};

/** Decimal text in its shortest form. */
const amount: Field<string, string | number> = {
  schema: {
    anyOf: [
      { type: 'number', exclusiveMinimum: 0 },
      { type: 'string', pattern: '^[0-9]+(?:[.][0-9]+)?$' },
    ],
    description: 'over 0, with at most 15 digits, 6 of them after the point',
  },
  isRequired: true,
  read(value) {
    const read =
      typeof value === 'number'
        ? amountOfNumber(value)
        : typeof value === 'string'
          ? amountOfText(value)
          : null;
    return read === null || read === 0n
      ? { fault: 'must be over 0, with at most 15 digits, 6 of them after the point' }
      : { value: amountText(read) };
  },
};

export const LIMITS = operations({
  listLimits: {
    route: 'GET /v1/limits',
    access: 'managing',
    summary: 'the limits of the running policy',
    query: bodyOf({ keyKind }),
    answers: { 200: ['by id', object({ limits: list(LIMIT) })] },
    errors: ['invalid_request'],
  },
  readLimit: {
    route: 'GET /v1/limits/{id}',
    access: 'managing',
    summary: 'the groups of a limit that have a draw in its window',
    query: bodyOf({ keyKind, limit: optional(pageLimit), cursor }),
    answers: { 200: ['a page of groups', object({ groups: list(GROUP), nextCursor: nullable(text) })] },
    errors: ['invalid_request', 'not_found'],
  },
  correctLimit: {
    route: 'POST /v1/limits/{id}/corrections',
    access: 'managing',
    summary: 'give back what was drawn in error; it becomes an entry of the log',
    query: bodyOf({ keyKind }),
    body: bodyOf({ group, amount, reason: writtenText(1, REASON_CHARACTERS_MAX) }),
    answers: { 200: ['the group as it is now', GROUP] },
    errors: [...BODY_ERRORS, ...CLOCK_ERRORS, 'not_found', 'idempotency_key_reused'],
    isRepeatable: true,
  },
});
