/** The operation that shows how much of the monthly allowance is used. */
import { bodyOf, type Field, optional } from './fields.ts';
import { operations } from './operation.ts';
import { count, described, list, nullable, object, text, time, whole } from './shape.ts';

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;
const month: Field<string> = {
  schema: { type: 'string', pattern: MONTH.source },
  isRequired: true,
  read: (value) =>
    typeof value === 'string' && MONTH.test(value)
      ? { value }
      : { fault: 'must be a month such as `2026-11`' },
};

export const USAGE = operations({
  readUsage: {
    route: 'GET /v1/usage',
    access: 'either',
    summary: "this month's checks of the workspace",
    answers: {
      200: [
        'development checks and live checks',
        object({
          period: text,
          used: count,
          limit: count,
          remaining: count,
          resetsAt: time,
          live: object({ used: count, limit: nullable(whole) }),
        }),
      ],
    },
    errors: [],
  },
  readDailyUsage: {
    route: 'GET /v1/usage/daily',
    access: 'managing',
    summary: "a month's checks by day (UTC) and key",
    query: bodyOf({ period: described('default: this month', optional(month)) }),
    answers: {
      200: [
        'days and keys without a check are omitted',
        object({ period: text, days: list(object({ day: text, keyId: text, checks: count })) }),
      ],
    },
    errors: ['invalid_request'],
  },
});
