/**
 * Fails a test file that takes three times its budget of processor time: its own and that of the processes it started
 * and waited for. Unlike a clock, other load hardly moves it, so it holds on a busy machine too.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';

const USUAL_SECONDS = 15;
const TIMES_MAX = 3;
const TICKS_A_SECOND = 100;

/** Files that need more than usual. A new line here makes everybody wait: could the rest of it run at night? */
const BUDGETS: { readonly [file: string]: number } = {
  'clients/python/test/kit.test.ts': 25,
  'packages/adapters/src/langchain.test.ts': 25,
  'packages/engine/test/differential.test.ts': 20,
  'packages/engine/test/talk-out.test.ts': 20,
  'packages/ledger/test/tampering.test.ts': 30,
  'packages/service/test/audit-start.test.ts': 16,
  'packages/service/test/mcp-proxy.test.ts': 25,
  'packages/service/test/move-workspace.test.ts': 25,
  'packages/service/test/postgres-start.test.ts': 30,
  'packages/service/test/same-answers.test.ts': 25,
  'packages/service/test/serve.test.ts': 35,
  'packages/service/test/torture.test.ts': 40,
  'packages/store/src/postgres/postgres-store.test.ts': 35,
  'scripts/repetition.test.ts': 25,
};

/** From /proc: user and system time, own and of children that have ended. */
function usedSeconds(): number {
  // Elsewhere than on Linux nothing is measured.
  if (!existsSync('/proc/self/stat')) return 0;
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
}

// A worker may have run other files before.
const BEFORE = usedSeconds();

// Registered first, so it runs after what the file itself registers.
afterAll(() => {
  const file = relative(process.cwd(), expect.getState().testPath ?? '');
  const budget = BUDGETS[file] ?? USUAL_SECONDS;
  const used = usedSeconds() - BEFORE;
  if (used > TIMES_MAX * budget)
    throw new Error(
      `${file} took ${used.toFixed(0)} s of processor time, its budget is ${budget} s (scripts/processor-budget.ts)`,
    );
});
