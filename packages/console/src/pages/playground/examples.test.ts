import { EMPTY_SNAPSHOT } from '@writecheck/engine';
import { expect, test } from 'vitest';
import { changesBetween } from './changes.ts';
import { builtInExamples, examplesFromTests } from './examples.ts';
import { type Prediction, predict } from './predict.ts';

const NOW_MS = Date.parse('2026-11-15T12:00:00Z');
const GROUND = { snapshot: EMPTY_SNAPSHOT, workspace: 'ws_1' };

function decided(intent: Parameters<typeof predict>[0]) {
  const prediction = predict(intent, GROUND, NOW_MS) as Prediction;
  if (prediction.kind !== 'decided') throw new Error(JSON.stringify(prediction));
  return prediction.decided;
}

test('every example shows what its name says', () => {
  const told = builtInExamples(NOW_MS).map(({ name, intent }) => {
    const { decision, reasonCode } = decided(intent);
    return `${name}: ${decision}, ${reasonCode}`;
  });
  expect(told).toEqual([
    'Identity and approval are sent: allow, requirements_met',
    'The approval is missing: pause, CONTROL_EVIDENCE_MISSING',
    'The value differs from the authority’s: pause, authority_mismatch',
    'One check passed and one failed: block, CONTROL_FAILED',
    'An action instead of a field: allow, requirements_met',
    'The workflow is not registered: pause, workflow_unknown',
  ]);
});

test('the evidence of a policy test is as old today as it was then', () => {
  const test = {
    kind: 'PolicyTest',
    id: 'old',
    now: '2026-01-01T00:00:00Z',
    intent: {
      system: 'crm',
      controlEvidence: [{ controlId: 'a', checkedAt: '2025-12-31T23:00:00Z', result: 'PASS' }],
    },
  };
  const [example] = examplesFromTests([{ kind: 'Profile', id: 'p' }, test], NOW_MS);
  expect(example?.intent.controlEvidence).toEqual([
    { controlId: 'a', checkedAt: '2026-11-15T11:00:00.000Z', result: 'PASS' },
  ]);
});

test('changes between two decisions are listed control by control', () => {
  const [complete, missing] = builtInExamples(NOW_MS).map(({ intent }) => decided(intent));
  expect(changesBetween(complete!, missing!)).toEqual([
    'decision: allow → pause',
    'reason: requirements_met → CONTROL_EVIDENCE_MISSING',
    '`approval`: satisfied → missing',
  ]);
  expect(changesBetween(complete!, complete!)).toEqual([]);
});
