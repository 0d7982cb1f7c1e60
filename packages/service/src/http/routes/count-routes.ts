/** Counts decisions over time, for views over many of them. */

import { bodyOf, boundary, choice, optional } from '@writecheck/api';
import { json } from '../../answer.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { refuse } from '../../refusal.ts';
import { readValue } from '../read-json.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { momentSchema } from './shared-schemas.ts';

const DAY_MS = 86_400_000;
/** Keeps the response small; without `from`, the range reaches back this far. */
const DAYS_MAX = { hour: 31, day: 366 } as const;

const QUERY = bodyOf({
  from: optional(boundary),
  to: optional(boundary),
  step: optional(choice('hour', 'day')),
});
const COUNT = { type: 'integer', minimum: 0 };

export function countRoutes({ store }: ServiceParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/decisions/counts',
      access: 'managing',
      described: {
        operationId: 'countDecisions',
        summary: 'numbers of decisions by outcome, per hour or per day (UTC), oldest first',
        query: {
          from: { description: 'from the hour of this time on', schema: QUERY.members.from! },
          to: { description: 'hours that begin before this time', schema: QUERY.members.to! },
          step: {
            description: `default: \`day\`; at most ${DAYS_MAX.hour} days by hour, ${DAYS_MAX.day} by day`,
            schema: QUERY.members.step!,
          },
        },
        success: {
          200: {
            description: 'hours or days without a decision are omitted',
            schema: {
              type: 'object',
              properties: {
                counts: {
                  type: 'array',
                  items: {
                    type: 'object',
                    properties: { from: momentSchema, allow: COUNT, pause: COUNT, block: COUNT, warn: COUNT },
                    required: ['from', 'allow', 'pause', 'block', 'warn'],
                  },
                },
              },
              required: ['counts'],
            },
          },
        },
        errors: ['invalid_request'],
      },
      handle: async ({ context, actor, query }) => {
        const read = readValue(QUERY, Object.fromEntries(query));
        if (read.kind === 'refused') return problemAnswer(context, read);
        const { step = 'day', to = context.nowMs } = read.value;
        const mostMs = DAYS_MAX[step] * DAY_MS;
        const { from = to - mostMs } = read.value;
        if (to - from > mostMs) {
          const message = `\`from\` must be at most ${DAYS_MAX[step]} days before \`to\``;
          return problemAnswer(context, refuse('invalid_request', message, [{ pointer: '/from', message }]));
        }
        const counts = await store.countDecisions(actor.workspace, from, to, step);
        return json(200, {
          counts: counts.map(({ fromMs, warned, ...same }) => ({
            from: new Date(fromMs).toISOString(),
            ...same,
            warn: warned,
          })),
        });
      },
    },
  ];
}
