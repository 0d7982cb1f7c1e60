/**
 * The processor time that each test file may take: `processor-budget.ts` enforces it, `longest-first.ts` orders
 * by it.
 */
const USUAL_SECONDS = 12;

/** Seconds, of files that need more than usual. A new line here makes everybody wait: could the rest of it run at night? */
const BUDGETS: { readonly [file: string]: number } = {
  // These wait more than they work.
  'clients/python/test/kit.test.ts': 20,
  'clients/python/test/unit.test.ts': 14,
  'packages/adapters/test/docs.test.ts': 16,
  // Its scenarios wait more than they work, so it must not be the last.
  'packages/client/test/fail-closed.test.ts': 14,
  // Chromium's time is not included in the measured time.
  'packages/console/test/decisions.test.ts': 20,
  'packages/console/test/operate.test.ts': 14,
  'packages/console/test/policies.test.ts': 14,
  'packages/console/test/reviews.test.ts': 20,
  'packages/service/test/agents/mcp-proxy.test.ts': 28,
  'packages/service/test/stores/move-workspace.test.ts': 16,
  'packages/service/test/stores/postgres-start.test.ts': 30,
  'packages/service/test/stores/restore-postgres.test.ts': 14,
  'packages/service/test/checks/same-answers.test.ts': 16,
  'packages/service/test/running/serve.test.ts': 35,
  'packages/service/test/stores/store-faults.test.ts': 30,
  'packages/service/test/running/torture.test.ts': 40,
  'packages/store/src/postgres/postgres-store.test.ts': 22,
  'packages/store/src/sqlite/sqlite-store.test.ts': 16,
};

/** `file` is relative to the root. */
export function budgetOf(file: string): number {
  return BUDGETS[file] ?? USUAL_SECONDS;
}
