/** How much of the month's allowance is used. */
import { calendarMonth, DEVELOPMENT_CHECKS_A_MONTH } from '../../keys/allowance.ts';
import { json } from '../answer.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { momentSchema, textSchema } from './shared-schemas.ts';

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
            description: 'development checks, and live ones beside them',
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
      handle: async ({ context, key }) => {
        const { period, endsAtMs } = calendarMonth(context.nowMs);
        const { development, live } = await store.usage(key.workspace, period);
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
  ];
}
