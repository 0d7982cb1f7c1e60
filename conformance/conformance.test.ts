import { CONTROL_CODES, DECISIONS, GATE_CODES, WRITE_POLICIES } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { loadCases } from './case.ts';
import { decideCase, statedPart } from './decide-case.ts';

const cases = loadCases();

describe('the engine decides every case as stated', () => {
  test.each(cases)('$name', async (conformanceCase) => {
    expect(statedPart(await decideCase(conformanceCase))).toEqual(conformanceCase.expect);
  });
});

describe('the cases cover the vocabulary', () => {
  const text = JSON.stringify(cases.map(({ expect: stated }) => stated));
  test.each([
    ...DECISIONS.map((decision) => `"decision":"${decision}"`),
    ...DECISIONS.map((decision) => `"effect":"${decision}"`),
    ...GATE_CODES.map((code) => `"reason_code":"${code}"`),
    ...Object.entries(CONTROL_CODES).map(([status, code]) => `"status":"${status}","code":"${code}"`),
    ...Object.values(CONTROL_CODES)
      .filter((code) => code !== 'CONTROL_SATISFIED')
      .map((code) => `"reason_code":"${code}"`),
    ...WRITE_POLICIES.map((policy) => `"writePolicy":"${policy}"`),
    ...['valid', 'stale', 'expired', 'revoked', 'unknown'].map((state) => `"authorityState":"${state}"`),
    ...['supply', 'withdraw', 'correct', 'operator'].map((action) => `"action":"${action}"`),
    ...['workflow', 'match', 'request', 'default'].map((source) => `"source":"${source}"}`),
  ])('%s', (wanted) => {
    expect(text).toContain(wanted);
  });
});
