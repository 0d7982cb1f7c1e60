/** Runs a wrapper against every scenario and reports each write that ran but should not have, and the reverse. */
import { randomUUID } from 'node:crypto';
import { type HostileServer, startHostileServer } from './hostile-server.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

export interface GuardSetting {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Pass this to the wrapper: scenarios that respond late do so relative to it. */
  readonly timeoutMs: number;
  /** Pass this to a wrapper that waits for reviews. */
  readonly waitMs: number;
}

/**
 * Asks about any intent and calls `write` on an allow. It may return or throw anything; if it returns an object
 * with `stopped`, the kit compares that with the scenario.
 */
export type Guard = (write: () => Promise<void>) => unknown;

export interface KitOptions {
  readonly timeoutMs?: number;
  readonly scenarios?: readonly Scenario[];
  readonly concurrency?: number;
}

export interface ScenarioResult {
  readonly scenario: string;
  readonly expect: Scenario['expect'];
  readonly writes: number;
  /** The wrapper's name for what stopped the write, if it is wrong. */
  readonly wronglySays?: string;
  /** Whether the wrapper ended within ten times its timeout. */
  readonly settled: boolean;
  readonly passed: boolean;
}

export interface KitReport {
  readonly passed: boolean;
  readonly results: readonly ScenarioResult[];
  readonly failures: readonly ScenarioResult[];
}

/** How many times its timeout a wrapper waits for a review. */
const WAITS = 3;

export async function runFailClosedKit(
  makeGuard: (setting: GuardSetting) => Guard | Promise<Guard>,
  { timeoutMs = 2000, scenarios = SCENARIOS, concurrency = 16 }: KitOptions = {},
): Promise<KitReport> {
  const runs: { scenario: Scenario; writes: number; settled: boolean; outcome?: unknown }[] = [];
  const waiting = scenarios.values();
  const servers: HostileServer[] = [];

  async function runAll(): Promise<void> {
    for (const scenario of waiting) {
      const apiKey = `wck_dev_fail_closed_kit_${randomUUID()}`;
      const server = await startHostileServer(scenario.misbehave ?? (() => {}), timeoutMs, apiKey);
      if (scenario.misbehave === undefined) await server.close();
      else servers.push(server);
      const run: (typeof runs)[number] = { scenario, writes: 0, settled: false };
      runs.push(run);
      const write = async (): Promise<void> => {
        run.writes += 1;
      };
      const guard = await makeGuard({
        baseUrl: server.baseUrl,
        apiKey,
        timeoutMs,
        waitMs: timeoutMs * WAITS,
      });
      const settle = Promise.resolve()
        .then(() => guard(write))
        .then(
          (outcome) => {
            run.outcome = outcome;
            return true;
          },
          () => true,
        );
      run.settled = await Promise.race([settle, after(timeoutMs * 10)]);
    }
  }

  await Promise.all(Array.from({ length: concurrency }, runAll));
  // A late response must not trigger a write after the wrapper has returned: check once more when all have been sent.
  await after(timeoutMs);
  await Promise.all(servers.map((server) => server.close()));

  const results = runs.map(({ scenario, writes, settled, outcome }): ScenarioResult => {
    const wrongly = wrongWord(scenario, outcome);
    const passed = settled && writes === (scenario.expect === 'executed' ? 1 : 0) && wrongly === undefined;
    return {
      scenario: scenario.name,
      expect: scenario.expect,
      writes,
      settled,
      ...(wrongly === undefined ? {} : { wronglySays: wrongly }),
      passed,
    };
  });
  const failures = results.filter((result) => !result.passed);
  return { passed: failures.length === 0, results, failures };
}

function wrongWord({ says }: Scenario, outcome: unknown): string | undefined {
  if (says === undefined || typeof outcome !== 'object' || outcome === null) return undefined;
  const { stopped } = outcome as { readonly stopped?: unknown };
  return stopped === undefined || stopped === says ? undefined : String(stopped);
}

function after(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(resolve, ms, false));
}
