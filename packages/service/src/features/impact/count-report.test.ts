import { DECISIONS, type Decision } from '@writecheck/contract';
import type { Outcome } from '@writecheck/engine';
import { textDigest } from '@writecheck/store/sha256';
import { expect, test } from 'vitest';
import { fc } from '../../../../../scripts/fast-check.ts';
import { CountReport, type NotReplayed } from './count-report.ts';

const NOT_REPLAYED: readonly NotReplayed[] = ['pruned', 'version', 'evidence', 'frozen', 'facts'];
const decision = fc.constantFrom(...DECISIONS);
const replayed = fc.record({ digest: fc.integer({ min: 0, max: 5 }), before: decision, after: decision });
const step = fc.oneof(replayed, fc.constantFrom(...NOT_REPLAYED));

function outcome(decided: Decision, more: Partial<Outcome> = {}): Outcome {
  const none = { applied: [], deciding: [], readsFacts: [], controls: [] };
  return { decision: decided, reasonCode: 'requirements_met', isCovered: true, ...none, ...more };
}

function oneOf(name: string, before: Outcome, after: Outcome) {
  const intent = { system: 'erp', operation: 'vendor.update' };
  return { decisionId: `dec_${name}`, intentDigest: textDigest(name), intent, before, after };
}

test('the matrix sums to the replayed decisions, and those and the rest to all decisions', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const report = new CountReport([]);
      const seen = new Set<string>();
      for (const one of steps) {
        if (typeof one === 'string') report.notReplayed(one);
        else {
          report.replayed(oneOf(String(one.digest), outcome(one.before), outcome(one.after)));
          seen.add(`${one.digest} ${one.before} ${one.after}`);
        }
      }
      const { coverage, matrix, newlyStopped, newlyAllowed } = report.shown;
      const sum = (counts: object): number => Object.values(counts).reduce((a, b) => a + b, 0);
      const sumOf = (cells: typeof matrix.decisions) => sum(Object.values(cells).map(sum));
      expect(coverage.decisions).toBe(steps.length);
      expect(coverage.replayed + sum(coverage.notReplayed)).toBe(coverage.decisions);
      expect(sumOf(matrix.decisions)).toBe(coverage.replayed);
      expect(sumOf(matrix.intents)).toBe(seen.size);
      const { allow, pause, block } = matrix.decisions;
      expect(newlyStopped.decisions).toBe(allow.pause + allow.block);
      expect(newlyAllowed.decisions).toBe(pause.allow + block.allow);
    }),
    { numRuns: 200 },
  );
});

test('examples are one for each write, the newest first, and at most 50', () => {
  const report = new CountReport([]);
  for (let i = 0; i < 200; i += 1)
    report.replayed({ ...oneOf(String(i % 80), outcome('allow'), outcome('pause')), decisionId: `dec_${i}` });
  const { examples, intents } = report.shown.newlyStopped;
  expect(examples).toHaveLength(50);
  expect(examples[0]!.decision_id).toBe('dec_199');
  expect(new Set(examples.map(({ decision_id }) => Number(decision_id.slice(4)) % 80)).size).toBe(50);
  expect(intents).toBe(80);
});

test('what no rule covers is listed by kind, most first', () => {
  const report = new CountReport([]);
  const uncovered = outcome('pause', { isCovered: false });
  const of = (intent: { system: string; field?: string; operation?: string }) =>
    report.replayed({ ...oneOf('x', uncovered, uncovered), intent });
  of({ system: 'crm', field: 'phone' });
  for (let i = 0; i < 2; i += 1) of({ system: 'erp', operation: 'pay' });
  report.replayed(oneOf('covered', outcome('allow'), outcome('allow')));
  expect(report.shown.uncovered).toEqual([
    { system: 'erp', objectType: null, field: null, operation: 'pay', decisions: 2 },
    { system: 'crm', objectType: null, field: 'phone', operation: null, decisions: 1 },
  ]);
});
