/** The processor time that each test file may take: `processor-budget.ts` holds them to it, `longest-first.ts` orders by it. */
const USUAL_SECONDS = 15;

/** Seconds, of files that need more than usual. A new line here makes everybody wait: could the rest of it run at night? */
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

/** `file` is relative to the root. */
export function budgetOf(file: string): number {
  return BUDGETS[file] ?? USUAL_SECONDS;
}
