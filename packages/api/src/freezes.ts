/** Freezes: each stops matching writes immediately, with a reason that every stopped caller sees. */
import { FREEZE_SCOPE_MEMBERS, type FreezeScope, shortened } from '@writecheck/contract';
import { bodyOf, choice, type Field, listOf, moment, name, optional } from './fields.ts';
import { BODY_ERRORS, CLOCK_ERRORS, operations } from './operation.ts';
import { cursor } from './query-fields.ts';
import {
  count,
  described,
  list,
  named,
  nullable,
  object,
  shape,
  type TypeOf,
  text,
  time,
  whole,
} from './shape.ts';
import { statedText } from './text-fields.ts';

const REASON_CHARACTERS_MAX = 500;
const LISTED_MAX = 100;
export const FREEZES_A_PAGE = 50;

const several = listOf(name, 1, LISTED_MAX);

/** Exact, a glob, or a list of these. */
const PATTERN = { anyOf: [name.schema, several.schema] };

const scope: Field<FreezeScope> = {
  schema: {
    type: 'object',
    description: 'omitted or empty: the whole workspace; a member that a write omits counts as matching',
    properties: Object.fromEntries(FREEZE_SCOPE_MEMBERS.map((member) => [member, PATTERN])),
    additionalProperties: false,
  },
  isRequired: true,
  read(value) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { fault: 'must be an object' };
    const members: readonly string[] = FREEZE_SCOPE_MEMBERS;
    const read: { [member: string]: string | readonly string[] } = {};
    for (const [member, pattern] of Object.entries(value)) {
      if (!members.includes(member))
        return { fault: `has \`${shortened(member)}\`, which is not one of ${members.join(', ')}` };
      if (pattern === null) continue;
      const one = Array.isArray(pattern) ? several.read(pattern) : name.read(pattern);
      if ('fault' in one) return { fault: `has \`${member}\`, which ${one.fault}` };
      read[member] = one.value;
    }
    return { value: read };
  },
};

const reason = statedText(REASON_CHARACTERS_MAX);
const BY = object({ kind: choice('person', 'owner_key', 'operator'), id: text });
/** The author in the form in which a caller names one. */
const author: Field<{ readonly kind: string; readonly id: string }> = {
  schema: BY.schema,
  isRequired: true,
  read(value) {
    const { kind, id, ...more } = (value ?? {}) as { readonly [member: string]: unknown };
    const isOne = kind === 'person' || kind === 'owner_key' || kind === 'operator';
    return isOne && typeof id === 'string' && id !== '' && Object.keys(more).length === 0
      ? { value: { kind, id } }
      : { fault: "must be a freeze's `createdBy`: `{kind, id}`" };
  },
};

const MEMBERS = {
  id: text,
  number: described('rises with every freeze of the workspace', whole),
  scope: shape<FreezeScope>(scope.schema),
  reason: text,
  createdAt: time,
  createdBy: BY,
  until: nullable(time),
  liftedAt: nullable(time),
  liftedBy: described('null while it is active, and if its time was up', nullable(BY)),
  liftReason: nullable(text),
};
export const FREEZE = named('Freeze', object(MEMBERS));
export type Freeze = TypeOf<typeof FREEZE>;

const ALLOWS_BEFORE = described(
  'matching allows that were still valid when it began; a write that does not redeem may still happen',
  object({ count, redeemed: count }),
);
const ONE = object({ freeze: FREEZE });
const STOP_ERRORS = [...BODY_ERRORS, ...CLOCK_ERRORS] as const;

export const FREEZES = operations({
  createFreeze: {
    route: 'POST /v1/freezes',
    access: 'managing',
    summary: 'stop matching writes immediately: after the response, none is allowed, redeemed or replayed',
    body: bodyOf({ reason, scope: optional(scope), until: optional(moment) }),
    answers: { 201: ['the freeze', ONE] },
    errors: [...STOP_ERRORS, 'plan_limit', 'idempotency_key_reused', 'idempotency_key_expired'],
    isRepeatable: true,
  },
  liftFreeze: {
    route: 'POST /v1/freezes/{id}/lift',
    access: 'managing',
    summary: 'lift a freeze; if it is lifted already, nothing changes',
    body: bodyOf({ reason }),
    answers: { 200: ['the freeze', ONE] },
    errors: [...STOP_ERRORS, 'not_found'],
  },
  liftFreezes: {
    route: 'POST /v1/freezes/lift',
    access: 'managing',
    summary: 'lift all active freezes of one author',
    body: bodyOf({ createdBy: author, reason }),
    answers: { 200: ['those it lifted', object({ freezes: list(FREEZE) })] },
    errors: STOP_ERRORS,
  },
  listFreezes: {
    route: 'GET /v1/freezes',
    access: 'managing',
    summary: 'freezes, newest first',
    query: bodyOf({
      state: described('`active` if left out', optional(choice('active', 'all'))),
      cursor,
    }),
    answers: {
      200: [
        'a page; `nextCursor` is null at the end',
        object({ freezes: list(FREEZE), nextCursor: nullable(text) }),
      ],
    },
    errors: ['invalid_request'],
  },
  readFreeze: {
    route: 'GET /v1/freezes/{id}',
    access: 'managing',
    summary: 'a freeze, with the number of earlier allows that may still be carried out',
    answers: { 200: ['the freeze', object({ freeze: FREEZE, allowsBefore: ALLOWS_BEFORE })] },
    errors: ['not_found'],
  },
});
