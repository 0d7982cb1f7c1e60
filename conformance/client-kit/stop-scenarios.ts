/** Decisions that a freeze or a limit made, whole and damaged. */
import { answerWith } from './answers.ts';
import { type Scenario, stopped } from './scenario.ts';

const PAUSE = {
  decision: 'pause',
  allowed: false,
  execution_status: 'held_for_review',
  validUntil: undefined,
};
const FROZEN = { ...PAUSE, reason: 'the agent writes nonsense', reason_code: 'frozen' };
const BEYOND = { ...PAUSE, reason: '480 of 500 are drawn', reason_code: 'limit_exceeded' };
const LIMIT = {
  id: 'refunds',
  version: '1',
  max: '500',
  drawn: '480',
  draw: '120',
  remaining: '20',
  per: 'day',
  resetsAt: '2099-01-01T00:00:00.000Z',
  beyond: true,
  observed: false,
};

export const STOP_SCENARIOS: readonly Scenario[] = [
  stopped('a freeze', answerWith(FROZEN), 'frozen'),
  stopped('a freeze, and an allow when asked again', (attack) => {
    answerWith(attack.attempt === 1 ? FROZEN : {})(attack);
  }),
  stopped('an allow that is frozen', answerWith({ reason_code: 'frozen' })),
  stopped('a freeze that is allowed', answerWith({ ...FROZEN, allowed: true })),
  stopped('a limit that is used up', answerWith({ ...BEYOND, limits: [LIMIT] }), 'limit'),
  stopped(
    'a limit whose draw cannot be read',
    answerWith({
      ...BEYOND,
      reason_code: 'limit_unreadable',
      limits: [{ ...LIMIT, draw: null, drawn: null, remaining: null, resetsAt: null }],
    }),
    'limit',
  ),
  stopped(
    'a limit that blocks',
    answerWith({ ...BEYOND, decision: 'block', execution_status: 'stopped', limits: [LIMIT] }),
    'limit',
  ),
  ...[undefined, null, 'none', 1, {}, [null], ['refunds'], [{ ...LIMIT, resetsAt: 'tomorrow' }]].map(
    (limits) =>
      stopped(
        `a limit with the limits ${JSON.stringify(limits)}`,
        answerWith({ ...BEYOND, limits }),
        'limit',
      ),
  ),
  ...[null, 'none', 1, {}, [null], [{ ...LIMIT, beyond: 'no' }]].map((limits) =>
    stopped(`an allow with the limits ${JSON.stringify(limits)}`, answerWith({ limits })),
  ),
];
