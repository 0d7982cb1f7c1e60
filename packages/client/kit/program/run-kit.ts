/** Runs every scenario through a driver and makes the verdict. */
import { REVIEW_SCENARIOS } from '../review-scenarios.ts';
import { runFailClosedKit, type ScenarioResult } from '../run-fail-closed-kit.ts';
import type { Scenario } from '../scenario.ts';
import { SCENARIOS } from '../scenarios.ts';
import type { KitSession } from './kit-session.ts';

export interface RunOptions {
  readonly timeoutMs: number;
  /** False for a wrapper that opens no reviews. */
  readonly reviews: boolean;
  /** Only scenarios whose name contains this. */
  readonly only: string;
}

export interface KitVerdict {
  readonly passed: boolean;
  readonly scenarios: number;
  /** Why the run could not be completed. */
  readonly fault?: string;
  readonly failures: readonly ScenarioResult[];
  readonly results: readonly ScenarioResult[];
}

/** More than a driver has room for; each takes a scenario only on request. */
const CONCURRENCY = 64;
/** How many times its timeout a scenario gets in a second attempt, and how many of these run concurrently. */
const SECOND_TIMEOUTS = 5;
const SECOND_CONCURRENCY = 4;

export async function runKit(session: KitSession, options: RunOptions): Promise<KitVerdict> {
  const { timeoutMs, reviews, only } = options;
  const chosen = (scenarios: readonly Scenario[]) => scenarios.filter(({ name }) => name.includes(only));
  const results = [
    ...(await run(session, chosen(SCENARIOS), timeoutMs, false)),
    ...(reviews ? await run(session, chosen(REVIEW_SCENARIOS), timeoutMs, true) : []),
  ];
  session.finish();
  const failures = results.filter(({ passed }) => !passed);
  const { fault } = session;
  return {
    passed: failures.length === 0 && fault === undefined && results.length > 0,
    scenarios: results.length,
    ...(fault === undefined ? {} : { fault }),
    failures,
    results,
  };
}

/**
 * On a busy machine an honest allow may arrive after the timeout, and the end of a scenario may be reported too
 * late. Both are retried with more time; a write that must not run is never retried.
 */
async function run(
  session: KitSession,
  scenarios: readonly Scenario[],
  timeoutMs: number,
  review: boolean,
): Promise<readonly ScenarioResult[]> {
  if (scenarios.length === 0) return [];
  const makeGuard = (setting: Parameters<KitSession['makeGuard']>[0]) => session.makeGuard(setting, review);
  const first = await runFailClosedKit(makeGuard, { scenarios, timeoutMs, concurrency: CONCURRENCY });
  const isLate = ({ expect, writes, passed }: ScenarioResult) =>
    !passed && writes <= (expect === 'executed' ? 1 : 0);
  const late = new Set(first.results.filter(isLate).map(({ scenario }) => scenario));
  const again = scenarios.filter(({ name }) => late.has(name));
  const second =
    again.length === 0
      ? []
      : (
          await runFailClosedKit(makeGuard, {
            scenarios: again,
            timeoutMs: timeoutMs * SECOND_TIMEOUTS,
            concurrency: SECOND_CONCURRENCY,
          })
        ).results;
  const byName = new Map([...first.results, ...second].map((result) => [result.scenario, result]));
  return scenarios.map(({ name }) => byName.get(name)!);
}
