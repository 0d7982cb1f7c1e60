/** Operations that report the outcome of an allow. */
import { OUTCOMES } from '@writecheck/contract';
import { bodyOf, choice, moment, optional } from './fields.ts';
import { BODY_ERRORS, CLOCK_ERRORS, operations } from './operation.ts';
import { described, nullable, object, type TypeOf, text, time } from './shape.ts';
import { writtenText } from './text-fields.ts';

const NOTE_CHARACTERS_MAX = 500;
const REF_CHARACTERS_MAX = 1_024;

const result = choice(...OUTCOMES);
export const OUTCOME_SHAPE = object({
  result,
  at: described('when it happened', time),
  recordedAt: time,
  by: object({ kind: text, id: text }),
  note: nullable(text),
  ref: nullable(text),
});
export type Outcome = TypeOf<typeof OUTCOME_SHAPE>;

export const OUTCOME = operations({
  recordOutcome: {
    route: 'POST /v1/decisions/{id}/outcome',
    access: 'either',
    frequent: 'report',
    summary: 'report the outcome of an allow, with the key that asked or redeemed, or as an owner',
    body: bodyOf({
      result,
      at: optional(moment),
      note: optional(writtenText(0, NOTE_CHARACTERS_MAX)),
      ref: optional(writtenText(0, REF_CHARACTERS_MAX)),
    }),
    answers: { 200: ['the outcome', object({ outcome: OUTCOME_SHAPE })] },
    errors: [
      ...BODY_ERRORS,
      ...CLOCK_ERRORS,
      'overloaded',
      'not_found',
      'not_redeemable',
      'outcome_recorded',
    ],
  },
});
