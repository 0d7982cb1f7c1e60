import type { CommitRequest, CommitResult } from '@writecheck/store/port';
import { StoreUnavailable } from '@writecheck/store/port';
import type { CommittedTogether } from '@writecheck/store/port/decisions';
import type { NewOutcome, OutcomeRecorded } from '@writecheck/store/port/outcomes';
import { expect, test, vi } from 'vitest';
import { COMMAND_LINE, newRequest } from '../../../store/test/store-contract/store-contract-values.ts';
import { commitObserver } from '../support/observability/commit-observer.ts';
import { GroupCommit, type Submitted } from './group-commit.ts';

const LIMITS = { deadlineMs: 50 };
const AGAIN: CommitResult = { kind: 'decide_again' };

/** A store whose commits end when the test says so. */
function heldStore() {
  const commits: {
    readonly requests: readonly CommitRequest[];
    readonly reports: readonly NewOutcome[];
    readonly end: (decided: readonly CommitResult[], recorded?: readonly OutcomeRecorded[]) => void;
    readonly fail: (error: Error) => void;
  }[] = [];
  const commit = (requests: readonly CommitRequest[], reports: readonly NewOutcome[]) =>
    new Promise<CommittedTogether>((done, fail) => {
      const end = (decided: readonly CommitResult[], recorded: readonly OutcomeRecorded[] = []) =>
        done({ decided, recorded });
      commits.push({ requests, reports, end, fail });
    });
  return { store: { commit }, commits };
}
function turn() {
  return new Promise((done) => setImmediate(() => setImmediate(done)));
}
function ask() {
  return newRequest('ws_1');
}

test('one commit is in flight, and what arrives meanwhile shares the next', async () => {
  const { store, commits } = heldStore();
  const group = new GroupCommit(store, LIMITS, null);
  const first = [group.submit(ask()), group.submit(ask())];
  await turn();
  const second = [group.submit(ask()), group.submit(ask()), group.submit(ask())];
  await turn();
  expect(commits.map(({ requests }) => requests.length)).toEqual([2]);
  commits[0]!.end([AGAIN, AGAIN]);
  await Promise.all(first);
  await turn();
  expect(commits.map(({ requests }) => requests.length)).toEqual([2, 3]);
  commits[1]!.end([AGAIN, AGAIN, AGAIN]);
  expect(await Promise.all(second)).toEqual([AGAIN, AGAIN, AGAIN]);
});

test('half of the requests in progress are committed while the others are decided', async () => {
  const { store, commits } = heldStore();
  const group = new GroupCommit({ ...store, commitsBeside: true }, LIMITS, null);
  const sizes = () => commits.map(({ requests }) => requests.length);
  const come = (count: number) =>
    Array.from({ length: count }, () => {
      group.enter();
      return group.submit(ask()).finally(() => group.leave());
    });
  const end = async (index: number, submitted: readonly Promise<Submitted>[]) => {
    commits[index]!.end(submitted.map(() => AGAIN));
    await Promise.all(submitted);
  };
  const three = come(3);
  expect(sizes()).toEqual([]);
  const fourth = come(1);
  expect(sizes()).toEqual([4]);
  const others = come(16);
  await end(0, [...three, ...fourth]);
  await turn();
  expect(sizes()).toEqual([4, 16]);
  await end(1, others);
  // Twenty requests ran concurrently: nine of them wait for others, and ten do not.
  const nine = come(9);
  expect(sizes()).toEqual([4, 16]);
  const tenth = come(1);
  expect(sizes()).toEqual([4, 16, 10]);
  await end(2, [...nine, ...tenth]);
});

test('with a remote store as many requests as possible share a commit', async () => {
  const { store, commits } = heldStore();
  const group = new GroupCommit(store, LIMITS, null);
  const submitted = Array.from({ length: 9 }, () => group.submit(ask()));
  expect(commits).toEqual([]);
  await turn();
  expect(commits.map(({ requests }) => requests.length)).toEqual([9]);
  commits[0]!.end(submitted.map(() => AGAIN));
  await Promise.all(submitted);
});

test('a failed commit fails every request in it and none after it', async () => {
  const { store, commits } = heldStore();
  const group = new GroupCommit(store, LIMITS, null);
  const failing = [group.submit(ask()), group.submit(ask())];
  await turn();
  const next = group.submit(ask());
  commits[0]!.fail(new StoreUnavailable('full', 'the disk is full'));
  for (const one of await Promise.all(failing))
    expect(one).toMatchObject({ kind: 'unavailable', failure: { why: 'full' } });
  await turn();
  commits[1]!.end([AGAIN]);
  expect(await next).toEqual(AGAIN);
});

test('a bug in a commit stays the cause of the failure, so that the log can name it', async () => {
  const { store, commits } = heldStore();
  const submitted = new GroupCommit(store, LIMITS, null).submit(ask());
  await turn();
  const bug = new TypeError('entries is not iterable');
  commits[0]!.fail(bug);
  expect(await submitted).toMatchObject({ kind: 'unavailable', failure: { why: 'unknown', cause: bug } });
});

test('outcomes that do not match the requests are rejected', async () => {
  const { store, commits } = heldStore();
  const submitted = new GroupCommit(store, LIMITS, null).submit(ask());
  await turn();
  commits[0]!.end([AGAIN, AGAIN]);
  expect((await submitted).kind).toBe('unavailable');
});

test('after the deadline no request waits, and a late outcome reaches none', async () => {
  const { store, commits } = heldStore();
  const group = new GroupCommit(store, LIMITS, null);
  const waiting = group.submit(ask());
  await turn();
  const queued = group.submit(ask());
  const outcomes: Submitted[] = await Promise.all([waiting, queued]);
  for (const one of outcomes) expect(one).toMatchObject({ kind: 'unavailable', failure: { why: 'timeout' } });
  expect(await group.submit(ask())).toMatchObject({ kind: 'unavailable' });
  commits[0]!.end([AGAIN]);
  await turn();
  const recovered = group.submit(ask());
  await turn();
  commits[1]!.end([AGAIN]);
  expect(await recovered).toEqual(AGAIN);
});

test('the log says once that commits fail, and once that they succeed again', async () => {
  const { store, commits } = heldStore();
  const lines: string[] = [];
  const note = (_fields: object, message: string): void => void lines.push(message);
  const log = { debug: note, info: note, warn: note, error: note };
  const counted: (string | null)[] = [];
  const metrics = {
    committed: (_entries: number, _durationMs: number, failure: StoreUnavailable | null) =>
      void counted.push(failure?.why ?? null),
  };
  const group = new GroupCommit(store, { deadlineMs: 5_000 }, commitObserver(log, metrics));
  for (const [i, why] of ['io', 'io', null, null].entries()) {
    const submitted = group.submit(ask());
    await vi.waitUntil(() => commits.length === i + 1);
    if (why === null) commits[i]!.end([AGAIN]);
    else commits[i]!.fail(new StoreUnavailable('io', 'the disk is gone'));
    await submitted;
    await vi.waitUntil(() => counted.length === i + 1);
  }
  expect(counted).toEqual(['io', 'io', null, null]);
  expect(lines).toEqual([
    'decisions cannot be recorded, so the service returns none: the disk is gone',
    'decisions are recorded and returned again',
  ]);
});

test('a commit has a maximum number of requests', async () => {
  const { store, commits } = heldStore();
  const group = new GroupCommit(store, LIMITS, null);
  for (let i = 0; i < 300; i += 1) void group.submit(ask());
  await turn();
  expect(commits[0]!.requests).toHaveLength(256);
  commits[0]!.end(Array(256).fill(AGAIN));
  await turn();
  await turn();
  expect(commits[1]!.requests).toHaveLength(44);
  commits[1]!.end(Array(44).fill(AGAIN));
});

function long(characters: number): CommitRequest {
  const request = newRequest('ws_1');
  return { ...request, record: { ...request.record, before: 'x'.repeat(characters) } };
}
const MEBI = 1024 * 1024;

test('a commit has a maximum length, and one long request still has its turn', async () => {
  const { store, commits } = heldStore();
  const group = new GroupCommit(store, { ...LIMITS, deadlineMs: 5_000 }, null);
  const submitted = [long(10 * MEBI), long(10 * MEBI), long(20 * MEBI)].map((request) =>
    group.submit(request),
  );
  for (let i = 0; i < 3; i += 1) {
    await turn();
    expect(commits[i]!.requests).toHaveLength(1);
    commits[i]!.end([AGAIN]);
    await submitted[i];
  }
  expect(commits).toHaveLength(3);
});

test('the queue is bounded, and a commit makes room in it', async () => {
  const { store, commits } = heldStore();
  const group = new GroupCommit(store, { ...LIMITS, deadlineMs: 5_000 }, null);
  const first = group.submit(long(40 * MEBI));
  await turn();
  expect(await group.submit(long(30 * MEBI))).toMatchObject({
    kind: 'unavailable',
    failure: { why: 'busy' },
  });
  commits[0]!.fail(new StoreUnavailable('full', 'the disk is full'));
  expect((await first).kind).toBe('unavailable');
  const second = group.submit(long(60 * MEBI));
  await turn();
  commits[1]!.end([AGAIN]);
  expect(await second).toEqual(AGAIN);
});

test('requests that a hanging store never settled do not count as waiting forever', async () => {
  const { store, commits } = heldStore();
  const group = new GroupCommit(store, LIMITS, null);
  expect((await group.submit(long(60 * MEBI))).kind).toBe('unavailable');
  commits[0]!.end([AGAIN]);
  await turn();
  const next = group.submit(long(60 * MEBI));
  await turn();
  commits[1]!.end([AGAIN]);
  expect(await next).toEqual(AGAIN);
});

const REPORT: NewOutcome = {
  ...{ workspace: 'ws_1', decisionId: 'dec_1', result: 'done', atMs: 1, recordedAtMs: 1 },
  ...{ by: COMMAND_LINE, note: null, ref: null },
};
const GONE: OutcomeRecorded = { kind: 'no_decision' };
const OTHER: OutcomeRecorded = { kind: 'other_result' };

test('outcomes share the commit of the checks that arrive with them, and each learns its own result', async () => {
  const { store, commits } = heldStore();
  const group = new GroupCommit(store, LIMITS, null);
  const alone = group.report(REPORT);
  await turn();
  const check = group.submit(ask());
  const reports = [group.report({ ...REPORT, decisionId: 'dec_2' }), group.report(REPORT)];
  await turn();
  expect(commits.map(({ requests, reports: { length } }) => [requests.length, length])).toEqual([[0, 1]]);
  commits[0]!.end([], [GONE]);
  expect(await alone).toEqual(GONE);
  await turn();
  expect(commits[1]!.reports.map(({ decisionId }) => decisionId)).toEqual(['dec_2', 'dec_1']);
  commits[1]!.end([AGAIN], [GONE, OTHER]);
  expect(await Promise.all([check, ...reports])).toEqual([AGAIN, GONE, OTHER]);
  expect(commits).toHaveLength(2);
});

test('a commit that fails, or says too little, acknowledges no check and no outcome', async () => {
  const { store, commits } = heldStore();
  const group = new GroupCommit(store, LIMITS, null);
  const happenings = [
    () => commits[0]!.fail(new StoreUnavailable('io', 'the disk failed')),
    () => commits[1]!.end([AGAIN]),
    () => commits[2]!.end([], [GONE]),
    () => commits[3]!.end([AGAIN], [GONE, GONE]),
  ];
  for (const happen of happenings) {
    const waiting = [group.submit(ask()), group.report(REPORT)];
    await turn();
    happen();
    for (const { kind } of await Promise.all(waiting)) expect(kind).toBe('unavailable');
  }
});

test('an outcome whose commit is late fails with a timeout, and so does one that waits behind it', async () => {
  const { store, commits } = heldStore();
  const group = new GroupCommit(store, LIMITS, null);
  const waiting = group.report(REPORT);
  await turn();
  const late = await Promise.all([waiting, group.report(REPORT)]);
  for (const one of late) expect(one).toMatchObject({ kind: 'unavailable', failure: { why: 'timeout' } });
  commits[0]!.end([], [GONE]);
  await turn();
  const recovered = group.report(REPORT);
  await turn();
  commits[1]!.end([], [OTHER]);
  expect(await recovered).toEqual(OTHER);
});
