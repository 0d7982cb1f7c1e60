/** Reports of outcomes wait their turn by workspace, as checks do. */
import type { NewOutcome } from '@writecheck/store/port/outcomes';
import { expect, test } from 'vitest';
import { QUEUE_LIMITS } from '../../check/check-queue.ts';
import { GROUP_COMMIT_LIMITS, GroupCommit } from '../../check/group-commit.ts';
import { RecentAllows } from '../../check/recent-allows.ts';
import { Turns } from '../../check/turns.ts';
import type { KeyedCall, KeyedRoute } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { outcomeRoutes } from './outcome-routes.ts';

const NOW_MS = 1_000;
const DECISION = `dec_${NOW_MS.toString(16).padStart(12, '0')}${'0'.repeat(20)}`;

test('the reports of one workspace never fill a commit; those of another join the next one', async () => {
  const commits: (readonly NewOutcome[])[] = [];
  const recentAllows = new RecentAllows();
  let release: () => void = () => undefined;
  const held = new Promise<void>((done) => {
    release = done;
  });
  const store = {
    async commit(_: unknown, outcomes: readonly NewOutcome[]) {
      commits.push(outcomes);
      await held;
      return { decided: [], recorded: outcomes.map(() => ({ kind: 'no_decision' as const })) };
    },
  };
  const check = {
    turns: new Turns({ ...QUEUE_LIMITS, places: 8 }),
    commits: new GroupCommit(store, GROUP_COMMIT_LIMITS, null),
    clock: { at: (nowMs: number) => ({ kind: 'now', nowMs }), saw: () => undefined },
    recentAllows,
  };
  const [route] = outcomeRoutes({ store, check } as unknown as ServiceParts) as readonly [KeyedRoute];
  recentAllows.add(DECISION, 'key_1');
  const report = (workspace: string) =>
    route.handle({
      context: { requestId: 'r', traceId: null, nowMs: NOW_MS },
      actor: { kind: 'checking_key', id: 'key_1', workspace, key: { id: 'key_1' } },
      params: { id: DECISION },
      body: Buffer.from('{"result":"done"}'),
    } as unknown as KeyedCall<URLSearchParams>);
  const flood = Array.from({ length: 40 }, () => report('ws_1'));
  const other = report('ws_2');
  await expect.poll(() => commits.length).toBe(1);
  const [first] = commits;
  const most = first!.filter(({ workspace }) => workspace === 'ws_1').length;
  expect([most, first!.length]).toEqual([4, 5]);
  release();
  expect((await other).status).toBe(404);
  expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([404]));
  for (const reports of commits) expect(reports.length).toBeLessThanOrEqual(5);
});
