/** Nobody talks their way out of a rule: a million single changes, and every exception that the contract names. */
import { expect } from 'vitest';
import { testInPart } from '../../../scripts/in-part.ts';
import { EXCEPTIONS } from './talk-exceptions.ts';
import { runTalkOut } from './talk-out.ts';

const SEED = Number(process.env.WRITECHECK_SEED ?? 20_261_117);

testInPart(
  {
    part: 200_000,
    whole: 1_000_000,
    named: (count) =>
      `no single addition or omission of ${count} turns a pause or block into an allow (seed ${SEED})`,
  },
  (wanted) => {
    const { changes, excused, first } = runTalkOut({ seed: SEED, firstBundle: 0, changes: wanted });
    expect(first).toBeNull();
    expect(changes).toBeGreaterThanOrEqual(wanted);
    // An exception that excuses nothing is unnecessary or untested.
    expect(Object.keys(excused).sort()).toEqual(Object.keys(EXCEPTIONS).sort());
  },
);
