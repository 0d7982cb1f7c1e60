/**
 * Fails a test file that takes three times its budget of processor time: its own and that of the processes it started
 * and waited for. Unlike a clock, other load hardly moves it, so it holds on a busy machine too.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { budgetOf } from './budgets.ts';

const TIMES_MAX = 3;
const TICKS_A_SECOND = 100;

/** Reads user and system time from /proc: this process's, and that of children that have ended. */
function usedSeconds(): number {
  // Elsewhere than on Linux nothing is measured.
  if (!existsSync('/proc/self/stat')) return 0;
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
}

// A worker may have run other files before.
const BEFORE = usedSeconds();

// Registered first, so that it runs after the hooks of the file itself.
afterAll(() => {
  const file = relative(process.cwd(), expect.getState().testPath ?? '');
  const budget = budgetOf(file);
  const used = usedSeconds() - BEFORE;
  if (used > TIMES_MAX * budget)
    throw new Error(
      `${file} took ${used.toFixed(0)} s of processor time, its budget is ${budget} s (scripts/budgets.ts)`,
    );
});
