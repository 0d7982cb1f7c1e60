import type { DecisionDetail } from '@writecheck/api';
import { expect, test } from 'vitest';
import { stoppedBy } from './stopped-by.ts';

const of = (response: object) =>
  ({
    response: {
      decision: 'pause',
      controlEvaluations: [],
      requirementProvenance: [],
      ...response,
    },
  }) as unknown as DecisionDetail;
const control = (controlId: string, effect: string) => ({ controlId, effect });
const limit = (id: string, beyond: boolean, observed = false) => ({ id, beyond, observed });

test('a write counts for each control and limit that stopped it, and for none that did not', () => {
  const approval = of({ controlEvaluations: [control('approval', 'pause'), control('identity', 'allow')] });
  const both = of({
    controlEvaluations: [control('approval', 'pause')],
    limits: [limit('a-day', true), limit('an-hour', false), limit('tried', true, true)],
  });
  const allowed = of({ decision: 'allow', controlEvaluations: [control('observed', 'pause')] });
  expect(stoppedBy([approval, both, allowed])).toEqual([
    { kind: 'control', id: 'approval', writes: 2 },
    { kind: 'limit', id: 'a-day', writes: 1 },
  ]);
});

test('a control that only a limit requires counts as that limit', () => {
  const beyond = of({
    controlEvaluations: [control('approval', 'pause')],
    requirementProvenance: [{ controlId: 'approval', sources: ['limit:a-day@1'] }],
    limits: [limit('a-day', true)],
  });
  expect(stoppedBy([beyond])).toEqual([{ kind: 'limit', id: 'a-day', writes: 1 }]);
});
