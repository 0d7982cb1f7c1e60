/** Nobody talks their way out of a rule: a million single changes, and every exception that the contract names. */
import { expect, test } from 'vitest';
import { EXCEPTIONS } from './talk-exceptions.ts';
import { runTalkOut } from './talk-out.ts';

const SEED = Number(process.env.WRITECHECK_SEED ?? 20_261_117);
const CHANGES = 1_000_000;

test(`no single addition or omission of ${CHANGES.toLocaleString('en')} turns a pause or block into an allow (seed ${SEED})`, {
  timeout: 300_000,
}, () => {
  const { changes, excused, first } = runTalkOut({ seed: SEED, firstBundle: 0, changes: CHANGES });
  expect(first).toBeNull();
  expect(changes).toBeGreaterThanOrEqual(CHANGES);
  // An exception that excuses nothing is not needed, or not tried.
  expect(Object.keys(excused).sort()).toEqual(Object.keys(EXCEPTIONS).sort());
});
