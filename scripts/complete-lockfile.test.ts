import { expect, test } from 'vitest';
import { missingBuilds, readLock } from './complete-lockfile.ts';

const { packages } = readLock();

test('npm ci finds every build for every platform in the lock file (else: npm run lock)', () => {
  expect(missingBuilds(packages)).toEqual([]);
});

test('the lock file names no registry', () => {
  const remote = Object.values(packages).filter(({ resolved }) => resolved?.includes('://'));
  expect(remote).toEqual([]);
});
