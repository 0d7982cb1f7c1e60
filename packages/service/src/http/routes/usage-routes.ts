/** How much of the monthly allowance is used. */

import { bodyOf, type Field, optional } from '@writecheck/api';
import { json } from '../../answer.ts';
import { calendarMonth, DEVELOPMENT_CHECKS_A_MONTH } from '../../keys/allowance.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { readValue } from '../read-json.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { momentSchema, textSchema } from './shared-schemas.ts';

const month: Field<string> = {
  schema: { type: 'string', pattern: '^\\d{4}-(0[1-9]|1[0-2])$' },
  isRequired: true,
  read: (value) =>
    typeof value === 'string' && /^\d{4}-(0[1-9]|1[0-2])$/.test(value)
      ? { value }
      : { fault: 'must be a month such as `2026-11`' },
};
const PERIOD = bodyOf({ period: optional(month) });
const COUNT = { type: 'integer', minimum: 0 };

export function usageRoutes({ store }: ServiceParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/usage',
      access: 'either',
      described: {
        operationId: 'readUsage',
        summary: "this month's checks of the workspace",
        success: {
          200: {
            description: 'development checks and live checks',
            schema: {
              type: 'object',
              properties: {
                period: textSchema,
                used: COUNT,
                limit: COUNT,
                remaining: COUNT,
                resetsAt: momentSchema,
                live: {
                  type: 'object',
                  properties: { used: COUNT, limit: { type: ['integer', 'null'] } },
                  required: ['used', 'limit'],
                },
              },
              required: ['period', 'used', 'limit', 'remaining', 'resetsAt', 'live'],
            },
          },
        },
        errors: [],
      },
      handle: async ({ context, actor }) => {
        const { period, endsAtMs } = calendarMonth(context.nowMs);
        const { development, live } = await store.usage(actor.workspace, period);
        return json(200, {
          period,
          used: development,
          limit: DEVELOPMENT_CHECKS_A_MONTH,
          remaining: Math.max(0, DEVELOPMENT_CHECKS_A_MONTH - development),
          resetsAt: new Date(endsAtMs).toISOString(),
          live: { used: live, limit: null },
        });
      },
    },
    {
      method: 'GET',
      path: '/v1/usage/daily',
      access: 'managing',
      described: {
        operationId: 'readDailyUsage',
        summary: "a month's checks by day (UTC) and key",
        query: { period: { description: 'default: this month', schema: PERIOD.members.period! } },
        success: {
          200: {
            description: 'days and keys without a check are omitted',
            schema: {
              type: 'object',
              properties: {
                period: textSchema,
                days: {
                  type: 'array',
                  items: {
                    type: 'object',
                    properties: { day: textSchema, keyId: textSchema, checks: COUNT },
                    required: ['day', 'keyId', 'checks'],
                  },
                },
              },
              required: ['period', 'days'],
            },
          },
        },
        errors: ['invalid_request'],
      },
      handle: async ({ context, actor, query }) => {
        const read = readValue(PERIOD, Object.fromEntries(query));
        if (read.kind === 'refused') return problemAnswer(context, read);
        const period = read.value.period ?? calendarMonth(context.nowMs).period;
        return json(200, { period, days: await store.usageByDay(actor.workspace, period) });
      },
    },
  ];
}
