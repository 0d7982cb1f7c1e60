import { DECISIONS, type Decision } from '@writecheck/contract';
import type { Outcome } from '@writecheck/engine';
import { textDigest } from '@writecheck/store/sha256';
import { expect, test } from 'vitest';
import { fc } from '../../../../../scripts/fast-check.ts';
import { CountReport } from './count-report.ts';
import { type Cells, NOT_REPLAYED, type NotReplayed } from './report.ts';

const decision = fc.constantFrom(...DECISIONS);
const replayed = fc.record({
  digest: fc.integer({ min: 0, max: 5 }),
  before: decision,
  evaluatedBefore: decision,
  after: decision,
  evaluatedAfter: decision,
});
const step = fc.oneof(replayed, fc.constantFrom<NotReplayed>(...NOT_REPLAYED));

function sum(cells: Cells): number {
  return DECISIONS.flatMap((before) => DECISIONS.map((after) => cells[before][after])).reduce(
    (a, b) => a + b,
    0,
  );
}

function outcome(decided: Decision, evaluatedDecision: Decision): Outcome {
  return {
    ...{ decision: decided, evaluatedDecision, reasonCode: 'requirements_met', profileId: null },
    ...{ profiles: [], workflow: null, readsFacts: [], requirements: [], decidedBy: null },
  };
}

test('at any moment of a run the matrices sum to the replayed decisions, and those and the rest to all decisions', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const report = new CountReport([]);
      const seen = new Set<string>();
      for (const [i, one] of steps.entries()) {
        if (typeof one === 'string') report.notReplayed(one);
        else {
          const digest = textDigest(String(one.digest));
          const subject = {
            ...{ decisionId: `dec_${i}`, intentDigest: digest, keyId: 'key_1', agent: undefined },
            ...{ system: 'erp', objectType: undefined, objectRef: undefined, workflowId: undefined },
            recorded: { decision: one.before, reason_code: 'requirements_met' },
          };
          report.replayed(
            subject,
            outcome(one.before, one.evaluatedBefore),
            outcome(one.after, one.evaluatedAfter),
          );
          seen.add(`${digest} ${one.before} ${one.after}`);
        }
        const { coverage, matrix, newlyStopped, newlyAllowed } = report.shown;
        const left = NOT_REPLAYED.reduce((all, reason) => all + coverage.notReplayed[reason], 0);
        expect(coverage.decisions).toBe(i + 1);
        expect(coverage.replayed + left).toBe(coverage.decisions);
        expect(sum(matrix.decision.decisions)).toBe(coverage.replayed);
        expect(sum(matrix.evaluatedDecision.decisions)).toBe(coverage.replayed);
        expect(sum(matrix.decision.intents)).toBe(seen.size);
        const { allow, pause, block } = matrix.decision.decisions;
        expect(newlyStopped.decisions).toBe(allow.pause + allow.block);
        expect(newlyAllowed.decisions).toBe(pause.allow + block.allow);
      }
    }),
    { numRuns: 200 },
  );
});

test('examples are one for each write, the newest first, and at most 50', () => {
  const report = new CountReport([]);
  for (let i = 0; i < 200; i += 1) {
    const recorded = { decision: i % 80 < 20 ? 'pause' : 'allow', reason_code: 'requirements_met' } as const;
    const subject = {
      recorded,
      ...{
        decisionId: `dec_${i}`,
        intentDigest: `sha256:${(i % 80).toString(16).padStart(2, '0').padEnd(64, '0')}`,
        keyId: 'k',
      },
      ...{
        agent: 'bot',
        system: 'erp',
        objectType: 'vendor',
        objectRef: `V-${i % 3}`,
        workflowId: undefined,
      },
    };
    report.replayed(subject, outcome('allow', 'allow'), outcome('pause', 'pause'));
  }
  const { examples, objects, agents, intents, recorded } = report.shown.newlyStopped;
  expect(examples).toHaveLength(50);
  expect(examples[0]!.decision_id).toBe('dec_199');
  expect(new Set(examples.map(({ decision_id }) => Number(decision_id.slice(4)) % 80)).size).toBe(50);
  expect({ objects, agents, intents }).toEqual({ objects: 3, agents: 1, intents: 80 });
  // The log may have stopped what the running bundle would allow.
  expect(recorded).toEqual({ allow: 60, pause: 20, block: 0 });
  expect(examples[0]!.recorded).toEqual({ decision: 'allow', reason_code: 'requirements_met' });
});
