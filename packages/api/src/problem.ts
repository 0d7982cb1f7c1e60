/** The error envelope, as in every response that is not a success. */
import { ERROR_CATALOGUE, type ErrorCode } from '@writecheck/contract';
import { absent, constant, described, list, object, shape, text, time, whole } from './shape.ts';

const DETAIL = object({
  pointer: text,
  message: text,
  file: absent(text),
  line: absent(whole),
  column: absent(whole),
});

export const PROBLEM = described(
  'an error; it is never a decision, and the write is not permitted',
  object({
    type: text,
    title: text,
    status: whole,
    detail: text,
    success: constant(false),
    allowed: constant(false),
    failClosed: constant(true),
    error: object({
      code: shape<ErrorCode>({ enum: Object.keys(ERROR_CATALOGUE) }),
      message: text,
      details: absent(list(DETAIL)),
    }),
    request_id: text,
    traceId: text,
    timestamp: time,
  }),
);
