/** How much of the monthly allowance is used. */
import { USAGE } from '@writecheck/api';
import { answer, implement } from '../../exchange/implement.ts';
import { readValue } from '../../exchange/read-json.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { calendarMonth, DEVELOPMENT_CHECKS_A_MONTH } from './allowance.ts';

export function usageRoutes({ store }: ServiceParts): readonly Route[] {
  return [
    implement(USAGE.readUsage, async ({ context, actor }) => {
      const { period, endsAtMs } = calendarMonth(context.nowMs);
      const { development, live } = await store.usage(actor.workspace, period);
      return answer(USAGE.readUsage, {
        period,
        used: development,
        limit: DEVELOPMENT_CHECKS_A_MONTH,
        remaining: Math.max(0, DEVELOPMENT_CHECKS_A_MONTH - development),
        resetsAt: new Date(endsAtMs).toISOString(),
        live: { used: live, limit: null },
      });
    }),
    implement(USAGE.readDailyUsage, async ({ context, actor, query }) => {
      const read = readValue(USAGE.readDailyUsage.query, Object.fromEntries(query));
      if (read.kind === 'refused') return read;
      const period = read.value.period ?? calendarMonth(context.nowMs).period;
      return answer(USAGE.readDailyUsage, { period, days: await store.usageByDay(actor.workspace, period) });
    }),
  ];
}
