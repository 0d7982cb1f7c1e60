import { expect, test } from 'vitest';
import { decide } from './decide.ts';
import { compileFreeze } from './freeze-match.ts';
import { EMPTY_SNAPSHOT } from './policy/build-snapshot.ts';
import { requirementsOf } from './requirements.ts';

const INTENT = { system: 'crm', operation: 'note.add', requiredControls: ['ok'] };
const GOOD = { ...INTENT, controlEvidence: [{ controlId: 'ok', source: 's', result: 'PASS' }] };
const FREEZES = [
  { id: 'frz_1', reason: 'the agent went wrong' },
  { id: 'frz_2', reason: 'all of it' },
];

test('a freeze pauses, the oldest gives its own reason, and remediation lists all', () => {
  expect(decide(GOOD, [], EMPTY_SNAPSHOT, 0).decision).not.toBe('block');
  const decided = decide(GOOD, [], EMPTY_SNAPSHOT, 0, { freezes: FREEZES });
  expect(decided).toMatchObject({
    decision: 'pause',
    evaluatedDecision: 'pause',
    reason: 'the agent went wrong',
    reasonCode: 'frozen',
    enforced: true,
    failClosed: true,
    validUntil: undefined,
    review: undefined,
    consumes: [],
  });
  expect(decided.remediation!.slice(0, 2)).toEqual([
    {
      gate: 'freeze',
      freezeId: 'frz_1',
      action: 'operator',
      need: expect.stringContaining('the agent went wrong'),
    },
    { gate: 'freeze', freezeId: 'frz_2', action: 'operator', need: expect.stringContaining('all of it') },
  ]);
});

test('requirements include the freeze', () => {
  const stated = requirementsOf(INTENT, [], EMPTY_SNAPSHOT, 0, { freezes: FREEZES });
  expect(stated.evaluated).toEqual({ decision: 'pause', reason_code: 'frozen' });
  expect(stated.remediation[0]).toMatchObject({ gate: 'freeze', freezeId: 'frz_1' });
});

test('an evaluation that names no system counts as leaving it out, whichever system is frozen', () => {
  for (const system of ['erp', ['erp', 'hr*'], 'AuthZEN', '*']) {
    const isFrozen = compileFreeze({ system, operation: 'vendor.*' });
    for (const named of ['authzen', 'AUTHZEN'])
      expect(isFrozen({ system: named, operation: 'vendor.update' }, null)).toBe(true);
    expect(isFrozen({ system: 'authzen', operation: 'note.add' }, null)).toBe(false);
  }
  expect(compileFreeze({ system: 'erp' })({ system: 'authzen2' }, null)).toBe(false);
  expect(compileFreeze({ system: 'authzen' })({ system: 'erp' }, null)).toBe(false);
});
