import { expect, test } from 'vitest';
import { isUnlimited, limitsOf } from './key-limits.ts';

const OPEN = { kind: 'live', allowedSystems: null, allowedWorkflows: null } as const;

test('a key without limits says that it may do everything, one with an empty list that it may do nothing', () => {
  expect(limitsOf(OPEN)).toEqual(['any system']);
  expect(limitsOf({ ...OPEN, allowedSystems: [] })).toEqual(['no system']);
  expect(limitsOf({ ...OPEN, allowedSystems: ['crm', 'erp'] })).toEqual(['systems crm, erp']);
  expect(limitsOf({ ...OPEN, allowedWorkflows: ['w'] })).toEqual(['any system', 'workflows w']);
  expect(limitsOf({ ...OPEN, kind: 'owner' })).toEqual(['manages the workspace']);
});

test('only a live key that nothing narrows deserves a second look', () => {
  expect(isUnlimited(OPEN)).toBe(true);
  expect(isUnlimited({ ...OPEN, kind: 'development' })).toBe(false);
  expect(isUnlimited({ ...OPEN, kind: 'owner' })).toBe(false);
  expect(isUnlimited({ ...OPEN, allowedWorkflows: ['w'] })).toBe(false);
});
