import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type Attack,
  type GuardSetting,
  RESETS,
  REVIEW_SCENARIOS,
  runFailClosedKit,
  SCENARIOS,
  type Scenario,
  startHostileServer,
} from '../../../conformance/client-kit/index.ts';
import { testInPart } from '../../../scripts/in-part.ts';
import { createClient, type GuardOutcome } from '../src/index.ts';

const intent = {
  system: 'crm',
  objectType: 'contact',
  objectRef: 'c-1',
  field: 'email',
  agentValue: 'a@example.org',
};

/** Most scenarios wait for their timeout. */
const CONCURRENCY = 48;

/** The client must say what stopped a write if the kit requires it. */
function saying(outcome: GuardOutcome<unknown>) {
  return { stopped: outcome.executed ? null : (outcome.stopped ?? null) };
}

function guarded(setting: GuardSetting) {
  const client = createClient(setting);
  return (write: () => Promise<void>) =>
    client.guardWrite(intent, write, { callId: randomUUID() }).then(saying);
}

/**
 * A late response fails a scenario in which the write must run, or must be called taken, however correct the
 * client is, so on a busy machine these get more time. The others end by their timeout, so theirs is short.
 */
async function runWithTime(
  makeGuard: Parameters<typeof runFailClosedKit>[0],
  scenarios: readonly Scenario[],
) {
  const timely = scenarios.filter((each) => each.expect === 'executed' || each.says !== undefined);
  const others = scenarios.filter((each) => !timely.includes(each));
  const reports = await Promise.all([
    runFailClosedKit(makeGuard, { scenarios: timely, concurrency: 8, timeoutMs: 10_000 }),
    runFailClosedKit(makeGuard, { scenarios: others, concurrency: CONCURRENCY }),
  ]);
  return {
    failures: reports.flatMap(({ failures }) => failures),
    results: reports.flatMap(({ results }) => results),
  };
}

describe('the client against the fail-closed kit', () => {
  const allows = {
    part: 5,
    whole: 1,
    named: (every: string) =>
      `runs the write in exactly the scenarios with a valid allow, at one in ${every} of the resets`,
  };
  testInPart(allows, async (every) => {
    const scenarios = SCENARIOS.filter((each) => !RESETS.includes(each)).concat(
      RESETS.filter((_, at) => at % every === 0),
    );
    const report = await runWithTime(guarded, scenarios);
    expect(report.failures).toEqual([]);
    expect(report.results).toHaveLength(scenarios.length);
    expect(RESETS.length).toBeGreaterThan(500);
  });

  it('runs a paused write only if its review is honestly approved', { timeout: 120_000 }, async () => {
    const report = await runWithTime((setting) => {
      const client = createClient(setting);
      const review = { waitMs: setting.waitMs };
      return (write) => client.guardWrite(() => intent, write, { review, callId: randomUUID() }).then(saying);
    }, REVIEW_SCENARIOS);
    expect(report.failures).toEqual([]);
    expect(report.results).toHaveLength(REVIEW_SCENARIOS.length);
    expect(REVIEW_SCENARIOS.length).toBeGreaterThan(90);
  });

  it('runs the write in the other scenarios in the same way with reviews', {
    tags: 'nightly',
    timeout: 120_000,
  }, async () => {
    const scenarios = SCENARIOS.filter(({ name }) => !/ after \d+ bytes$/.test(name));
    const report = await runFailClosedKit(
      (setting) => {
        const client = createClient(setting);
        return (write) =>
          client.guardWrite(intent, write, { review: { waitMs: setting.waitMs } }).then(saying);
      },
      { scenarios },
    );
    expect(report.failures).toEqual([]);
  });

  it('a scenario ignores a late request of another scenario that had its port', async () => {
    const heard: (string | undefined)[] = [];
    const misbehave = ({ socket, headers }: Attack) => {
      heard.push(headers.authorization);
      socket.end('HTTP/1.1 204 No Content\r\n\r\n');
    };
    const server = await startHostileServer(misbehave, 1_000, 'wck_dev_mine');
    const post = (headers: Record<string, string>) => fetch(server.baseUrl, { method: 'POST', headers });
    await expect(post({ authorization: 'Bearer wck_dev_other' })).rejects.toThrow();
    await post({ authorization: 'Bearer wck_dev_mine' });
    await post({});
    expect(heard).toEqual(['Bearer wck_dev_mine', undefined]);
    await server.close();
  });

  it('detects a wrapper that runs the write whatever the response', async () => {
    const scenarios = SCENARIOS.filter(({ name }) => name === 'a valid allow' || name === 'a block');
    const report = await runFailClosedKit(() => (write) => write(), { scenarios, timeoutMs: 20 });
    expect(report.passed).toBe(false);
    expect(report.failures.map(({ scenario }) => scenario)).toEqual(['a block']);
  });

  it('detects a wrapper that never runs the write, runs it twice, runs it late, or never ends', async () => {
    const scenarios = SCENARIOS.filter(({ name }) => name === 'a valid allow');
    const failures = async (guard: (write: () => Promise<void>) => unknown) =>
      (await runFailClosedKit(() => guard, { scenarios, timeoutMs: 20 })).failures;
    expect(await failures(() => {})).toMatchObject([{ writes: 0, settled: true }]);
    expect(await failures((write) => Promise.all([write(), write()]))).toMatchObject([{ writes: 2 }]);
    expect(await failures((write) => write().then(() => new Promise(() => {})))).toMatchObject([
      { writes: 1, settled: false },
    ]);
    const late = await runFailClosedKit(() => (write) => void setTimeout(write, 10), {
      scenarios: SCENARIOS.filter(({ name }) => name === 'a block'),
      timeoutMs: 50,
    });
    expect(late.failures).toMatchObject([{ writes: 1 }]);
  });

  it('gives every scenario a unique name', () => {
    const names = [...SCENARIOS, ...REVIEW_SCENARIOS].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
