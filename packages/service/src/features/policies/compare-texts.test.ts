import { expect, test } from 'vitest';
import { compareTexts, looseningDetails, type Recorded } from './compare-texts.ts';

const NOW_MS = Date.UTC(2026, 10, 15, 12);
const PROFILE = { kind: 'Profile', id: 'bank', match: { system: 'erp' } };
const STRICT = JSON.stringify([{ ...PROFILE, require: ['approval', 'identity'] }]);
const LOOSE = JSON.stringify([{ ...PROFILE, require: ['identity'] }]);
const INTENT = {
  system: 'erp',
  objectType: 'vendor',
  objectRef: 'V-1001',
  field: 'iban',
  agentValue: 'DE1',
  controlEvidence: [{ controlId: 'identity', source: 'okta', result: 'PASS' }],
};

function recordedIn(workspace: string): Recorded {
  const decision = { decision: 'allow', reasonCode: 'requirements_met' };
  const record = {
    workspace,
    timestamp: new Date(NOW_MS).toISOString(),
    facts: [],
    decision,
    intent: INTENT,
  };
  return { workspace: 'ws_1', records: [Buffer.from(JSON.stringify(record))] };
}

function originsOf(recorded: Recorded | null) {
  return compareTexts(STRICT, LOOSE, recorded, NOW_MS).examples.map(({ origin }) => origin);
}

test('dropping a control loosens, and adding one does not', () => {
  expect(compareTexts(STRICT, LOOSE, null, NOW_MS).isLooser).toBe(true);
  expect(compareTexts(LOOSE, STRICT, null, NOW_MS)).toMatchObject({ isLooser: false, examples: [] });
  expect(compareTexts(LOOSE, LOOSE, null, NOW_MS)).toEqual({ findings: [], isLooser: false, examples: [] });
});

test('a recorded write is the first example of what loosens, but never one of another workspace', () => {
  expect(originsOf(recordedIn('ws_1'))[0]).toBe('recorded');
  const [example] = compareTexts(STRICT, LOOSE, recordedIn('ws_1'), NOW_MS).examples;
  // The running bundle would pause it; the log says what happened.
  expect(example!.before.decision).toBe('pause');
  expect(example!.recorded).toEqual({ decision: 'allow', reason_code: 'requirements_met' });
  expect(originsOf(recordedIn('ws_2'))).not.toContain('recorded');
});

test('without records no examples are searched for', () => {
  expect(originsOf(null)).toEqual([]);
});

test('a person who must confirm sees what loosens first, then the examples', () => {
  const [first, second] = looseningDetails(compareTexts(STRICT, LOOSE, recordedIn('ws_1'), NOW_MS));
  expect(first!.message).toMatch(/^Profile `bank`: .*approval/);
  expect(second!.message).toMatch(/^example: a write to `erp vendor iban` .* is pause .* and becomes allow/);
});

test('a stored bundle that cannot be read is an error, never a bundle without rules', () => {
  expect(() => compareTexts('{', LOOSE, null, NOW_MS)).toThrow('cannot be read');
  expect(() => compareTexts('[{"kind":"Profile"}]', LOOSE, recordedIn('ws_1'), NOW_MS)).toThrow(
    'does not compile',
  );
});
