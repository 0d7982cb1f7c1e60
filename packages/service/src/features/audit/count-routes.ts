/** Counts decisions over time, for views over many of them. */
import { COUNTED_DAYS_MAX, DECIDED_WRITES } from '@writecheck/api';
import { VALIDITY_MS_MAX } from '@writecheck/engine/deciding';
import { firstIdAt } from '@writecheck/store/log/decision-time';
import { answer, implement } from '../../exchange/implement.ts';
import { readValue } from '../../exchange/read-json.ts';
import { refuseAt } from '../../exchange/refusal.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';

const DAY_MS = 86_400_000;
/** Of the last days; what may still be carried out is not missing yet. */
const OUTCOMES_MS = 30 * DAY_MS;

const { countDecisions } = DECIDED_WRITES;

export function countRoutes({ store }: ServiceParts): readonly Route[] {
  return [
    implement(countDecisions, async ({ context, actor, query }) => {
      const read = readValue(countDecisions.query, Object.fromEntries(query));
      if (read.kind === 'refused') return read;
      const { step = 'day', to = context.nowMs } = read.value;
      const mostMs = COUNTED_DAYS_MAX[step] * DAY_MS;
      const { from = to - mostMs } = read.value;
      if (to - from > mostMs) {
        const message = `\`from\` must be at most ${COUNTED_DAYS_MAX[step]} days before \`to\``;
        return refuseAt('/from', message);
      }
      const counts = await store.countDecisions(actor.workspace, from, to, step);
      const { nowMs } = context;
      const outcomes = await store.countOutcomes(
        actor.workspace,
        firstIdAt(nowMs - OUTCOMES_MS),
        firstIdAt(nowMs - VALIDITY_MS_MAX),
      );
      return answer(countDecisions, {
        counts: counts.map(({ fromMs, warned, ...same }) => ({
          from: new Date(fromMs).toISOString(),
          ...same,
          warn: warned,
        })),
        outcomes,
      });
    }),
  ];
}
