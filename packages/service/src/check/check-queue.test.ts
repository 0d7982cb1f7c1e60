import { describe, expect, test } from 'vitest';
import { type Arrival, CheckQueue, type Lane, QUEUE_LIMITS, type QueueLimits } from './check-queue.ts';

const LIMITS: QueueLimits = { ...QUEUE_LIMITS, places: 8, turnMs: 1_000 };
function isLane(arrival: Arrival<number>): arrival is Lane<number> {
  return typeof arrival !== 'string';
}

/** That many requests arrive at the same moment. */
function arriveAll(queue: CheckQueue<number>, workspace: string, count: number, nowMs: number) {
  const arrivals = Array.from({ length: count }, (_, i) => queue.arrive(workspace, 1_000, nowMs, i));
  const counted = (kind: string) => arrivals.filter((arrival) => arrival === kind).length;
  return { lanes: arrivals.filter(isLane), waits: counted('waits'), refused: counted('refused') };
}
function nextOf(queue: CheckQueue<number>, nowMs: number) {
  const next = queue.next(nowMs);
  return next === null ? null : `${next.lane.workspace} ${next.job}`;
}

describe('places and turns', () => {
  test('a workspace holds at most as many places as are free, so a newcomer always finds one', () => {
    const queue = new CheckQueue<number>(LIMITS);
    expect(arriveAll(queue, 'a', 10, 0).lanes).toHaveLength(4);
    expect(arriveAll(queue, 'b', 10, 0).lanes).toHaveLength(2);
    expect(arriveAll(queue, 'c', 10, 0).lanes).toHaveLength(1);
  });

  test('a waiting request runs when a place is free, first come first served', () => {
    const queue = new CheckQueue<number>(LIMITS);
    const { lanes, waits } = arriveAll(queue, 'a', 6, 0);
    expect(waits).toBe(2);
    expect(queue.next(1)).toBeNull();
    queue.leave(lanes[0]!, 1);
    expect(nextOf(queue, 1)).toBe('a 4');
    expect(nextOf(queue, 1)).toBeNull();
    // No request overtakes a waiting one.
    expect(queue.arrive('a', 1_000, 1, 6)).toBe('waits');
  });

  test('workspaces take turns by the time that their checks take, not by their number', () => {
    const queue = new CheckQueue<number>({ ...LIMITS, places: 1_000 });
    const [lane] = arriveAll(queue, 'x', 8, 0).lanes;
    queue.spend(lane!, 1_000);
    arriveAll(queue, 'long', 100, 0);
    arriveAll(queue, 'checks', 400, 0);
    queue.beginTurn(0);
    const spentMs: Record<string, number> = { long: 0, checks: 0 };
    for (let i = 0; i < 200; i += 1) {
      const next = queue.next(0)!;
      const tookMs = next.lane.workspace === 'long' ? 3 : 0.06;
      spentMs[next.lane.workspace]! += tookMs;
      queue.spend(next.lane, tookMs);
    }
    expect(spentMs.checks).toBeGreaterThan(8);
    expect(Math.abs(spentMs.long! - spentMs.checks!)).toBeLessThan(4);
  });

  test('a workspace in debt has its turn while the other waits for places', () => {
    const queue = new CheckQueue<number>({ ...LIMITS, places: 32 });
    arriveAll(queue, 'a', 20, 0);
    const b = queue.arrive('b', 1_000, 0, 0) as Lane<number>;
    queue.spend(b, 1_000);
    expect(queue.arrive('b', 1_000, 0, 1)).toBe('waits');
    queue.leave(b, 0);
    queue.beginTurn(0);
    expect(nextOf(queue, 0)).toBe('b 1');
  });

  test('a turn ends after its time, and the next one continues', () => {
    const queue = new CheckQueue<number>({ ...LIMITS, places: 64 });
    const [lane] = arriveAll(queue, 'a', 8, 0).lanes;
    queue.spend(lane!, 1_001);
    expect(arriveAll(queue, 'a', 2, 0).waits).toBe(2);
    expect([queue.isTurnOver, queue.next(0)]).toEqual([true, null]);
    queue.beginTurn(0);
    expect(nextOf(queue, 0)).toBe('a 0');
  });
});

describe('which requests are refused', () => {
  test('the queue is bounded, and no workspace takes all of its room', () => {
    const queue = new CheckQueue<number>({ ...LIMITS, roomBytes: 12 * (1_000 + 8_192) });
    expect(arriveAll(queue, 'a', 100, 0)).toMatchObject({ waits: 6, refused: 90 });
    expect(arriveAll(queue, 'b', 100, 0)).toMatchObject({ waits: 3, refused: 95 });
    expect(arriveAll(queue, 'c', 100, 0).waits).toBe(2);
    // A few thousand of the usual size, and few that are large.
    const usual = new CheckQueue<number>();
    expect(arriveAll(usual, 'a', 10_000, 0).waits).toBeGreaterThan(2_000);
    expect(usual.arrive('b', 64 * 1024 * 1024, 0, 0)).not.toBe('waits');
    expect(usual.arrive('a', 1_000, 0, 0)).toBe('refused');
  });

  test('a burst is admitted; pressure that lasts longer is refused, except for a fair number', () => {
    const queue = new CheckQueue<number>(LIMITS);
    expect(arriveAll(queue, 'a', 1_000, 0).refused).toBe(0);
    // No request is served in the meantime: the oldest waits ever longer.
    for (let ms = 25; ms <= 525; ms += 5) expect(arriveAll(queue, 'a', 10, ms).refused).toBe(0);
    arriveAll(queue, 'a', 1, 530);
    expect(arriveAll(queue, 'a', 10, 535).refused).toBe(10);
    // Another workspace is not under pressure.
    expect(arriveAll(queue, 'b', 10, 535).refused).toBe(0);
  });

  test('a burst that a slow machine takes long to read is admitted too', () => {
    const queue = new CheckQueue<number>(LIMITS);
    let refused = 0;
    for (let ms = 0; ms < 2_000; ms += 2) refused += arriveAll(queue, 'a', 1, ms).refused;
    expect(refused).toBe(0);
  });

  test('fewer than a fair number are never refused, however long they wait', () => {
    const queue = new CheckQueue<number>(LIMITS);
    for (let ms = 0; ms < 60; ms += 1) expect(arriveAll(queue, 'a', 1, ms * 100).refused).toBe(0);
  });

  test('an overload ends once nobody has been refused for a while', () => {
    const queue = new CheckQueue<number>({ ...LIMITS, burstRequests: 10 });
    const { lanes } = arriveAll(queue, 'a', 400, 0);
    for (let ms = 25; ms <= 600; ms += 25) arriveAll(queue, 'a', 1, ms);
    expect(arriveAll(queue, 'a', 1, 601).refused).toBe(1);
    // One is still in progress: a retry within the time meets the overload.
    for (const one of lanes.slice(1)) queue.leave(one, 601);
    for (let next = queue.next(601); next !== null; next = queue.next(601)) queue.leave(next.lane, 601);
    expect(arriveAll(queue, 'a', 400, 1_500).refused).toBeGreaterThan(300);
    expect(arriveAll(queue, 'a', 400, 2_501).refused).toBe(0);
  });

  test('an overload does not end because one commit answers every request at the same moment', () => {
    const queue = new CheckQueue<number>({ ...LIMITS, burstRequests: 10 });
    const { lanes } = arriveAll(queue, 'a', 400, 0);
    for (let ms = 25; ms <= 600; ms += 25) arriveAll(queue, 'a', 1, ms);
    for (const lane of lanes) queue.leave(lane, 700);
    for (let next = queue.next(700); next !== null; next = queue.next(700)) queue.leave(next.lane, 700);
    expect(arriveAll(queue, 'a', 400, 701).refused).toBeGreaterThan(300);
  });

  test('bursts one after another are admitted if everything is served in between', () => {
    const queue = new CheckQueue<number>(LIMITS);
    for (let ms = 0; ms < 5_000; ms += 250) {
      const { lanes, refused } = arriveAll(queue, 'a', 1_000, ms);
      for (let late = 25; late < 200; late += 25)
        expect(arriveAll(queue, 'a', 20, ms + late).refused).toBe(0);
      expect(refused).toBe(0);
      for (const lane of lanes) queue.leave(lane, ms + 220);
      for (let next = queue.next(ms + 220); next !== null; next = queue.next(ms + 220)) {
        queue.leave(next.lane, ms + 220);
      }
      expect(queue.waiting).toBe(0);
    }
  });

  test('a request that has waited too long is refused and takes no place', () => {
    const queue = new CheckQueue<number>(LIMITS);
    const { lanes } = arriveAll(queue, 'a', 5, 0);
    for (const lane of lanes) queue.leave(lane, 5_001);
    expect(queue.next(5_001)).toMatchObject({ isTooLate: true, waitedMs: 5_001 });
    expect(queue.waiting).toBe(0);
    expect(arriveAll(queue, 'a', 5, 5_002).lanes).toHaveLength(4);
  });
});

interface Callers {
  readonly workspace: string;
  readonly count: number;
  /** How much time of the deciding thread a request takes, and how long its body is. */
  readonly runMs: number;
  readonly bytes: number;
}
interface Caller {
  readonly of: Callers;
  sendsAtMs: number;
  sentMs: number;
  lane: Lane<Caller> | null;
}
interface Seen {
  readonly admitted: number[];
  readonly refused: number[];
}

/**
 * One thread that reads, decides and responds, and one that commits, with the milliseconds of a current
 * machine. Each caller sends its next request when it has a response, or `retryMs` after a refusal.
 */
function modelled(
  callers: readonly Callers[],
  seconds: number,
  isOnce = false,
  { refuseMs = 0.012, retryMs = 50 }: { refuseMs?: number; retryMs?: number } = {},
): readonly Seen[] {
  const queue = new CheckQueue<Caller>();
  const [readMs, answerMs, syncMs, entryMs] = [0.012, 0.02, 0.4, 0.022];
  const all = callers.flatMap((of) =>
    Array.from({ length: of.count }, (): Caller => ({ of, sendsAtMs: 0, sentMs: 0, lane: null })),
  );
  const seen = new Map(callers.map((of): [Callers, Seen] => [of, { admitted: [], refused: [] }]));
  let nowMs = 0;
  let decided: Caller[] = [];
  let committing: Caller[] = [];
  let committedAtMs = Number.POSITIVE_INFINITY;
  let isScheduled = false;
  let endedMs = 0;
  const answered = (caller: Caller, how: keyof Seen, pauseMs: number): void => {
    // The first second is the initial burst.
    if (isOnce || nowMs > 1_000) seen.get(caller.of)![how].push(nowMs - caller.sentMs);
    caller.sendsAtMs = isOnce ? Number.POSITIVE_INFINITY : nowMs + pauseMs;
  };
  const run = (caller: Caller, lane: Lane<Caller>): void => {
    caller.lane = lane;
    const isCharged = queue.isCharged(caller.of.runMs);
    nowMs += caller.of.runMs;
    if (isCharged) queue.spend(lane, caller.of.runMs);
    isScheduled ||= isCharged;
    decided.push(caller);
  };
  const refuse = (caller: Caller): void => {
    nowMs += refuseMs;
    answered(caller, 'refused', retryMs);
  };
  while (nowMs < seconds * 1_000) {
    const beganMs = nowMs;
    if (committedAtMs <= nowMs) {
      committedAtMs = Number.POSITIVE_INFINITY;
      for (const caller of committing.splice(0)) {
        nowMs += answerMs;
        queue.leave(caller.lane!, nowMs);
        answered(caller, 'admitted', 0.05);
      }
      isScheduled ||= queue.waiting > 0;
    }
    const readyMs = nowMs;
    for (const caller of all) {
      if (caller.sendsAtMs > readyMs) continue;
      caller.sentMs = caller.sendsAtMs;
      caller.sendsAtMs = Number.POSITIVE_INFINITY;
      nowMs += readMs;
      const arrival = queue.arrive(caller.of.workspace, caller.of.bytes, nowMs, caller);
      if (arrival === 'refused') refuse(caller);
      else if (arrival === 'waits') isScheduled = true;
      else run(caller, arrival);
    }
    if (isScheduled) {
      isScheduled = false;
      queue.beginTurn(nowMs - endedMs);
      for (let next = queue.next(nowMs); next !== null; next = queue.next(nowMs)) {
        if (next.isTooLate) refuse(next.job);
        else run(next.job, next.lane);
      }
      queue.endTurn();
      endedMs = nowMs;
      isScheduled = queue.waiting > 0 && queue.isTurnOver;
    }
    if (committing.length === 0 && decided.length > 0) {
      [committing, decided] = [decided, []];
      committedAtMs = nowMs + syncMs + committing.length * entryMs;
    }
    if (nowMs > beganMs) continue;
    nowMs = Math.min(committedAtMs, ...all.map(({ sendsAtMs }) => sendsAtMs));
  }
  return callers.map((of) => seen.get(of)!);
}

function at(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;
}
const CHECKS = { runMs: 0.06, bytes: 1_600 };

describe('in a model of the service', () => {
  const [busy] = modelled([{ workspace: 'a', count: 64, ...CHECKS }], 3);
  const busyMs = at(busy!.admitted, 0.99);

  test('a burst of a thousand is served in full', () => {
    const [burst] = modelled([{ workspace: 'a', count: 1_000, ...CHECKS }], 3, true);
    expect([burst!.admitted.length, burst!.refused.length]).toEqual([1_000, 0]);
    expect(at(burst!.admitted, 1)).toBeLessThan(200);
  });

  test('at ten times the load refusals are quick, and what is admitted takes at most twice as long', () => {
    const [over] = modelled([{ workspace: 'a', count: 640, ...CHECKS }], 5);
    expect(over!.refused.length).toBeGreaterThan(10_000);
    expect(at(over!.refused, 1)).toBeLessThan(10);
    expect(at(over!.admitted, 0.99)).toBeLessThan(2 * busyMs);
    // Refusing leaves most of the time for deciding.
    expect(over!.admitted.length / 4).toBeGreaterThan(0.6 * (busy!.admitted.length / 2));
  });

  test('the same holds for callers that wait as long as the refusal says', () => {
    const [over] = modelled([{ workspace: 'a', count: 640, ...CHECKS }], 5, false, { retryMs: 1_000 });
    expect(over!.refused.length).toBeGreaterThan(1_000);
    expect(at(over!.admitted, 0.99)).toBeLessThan(2 * busyMs);
  });

  test('if refusals alone could fill the thread, time is left for deciding', () => {
    const [over] = modelled([{ workspace: 'a', count: 640, ...CHECKS }], 5, false, { refuseMs: 0.12 });
    expect(over!.refused.length).toBeGreaterThan(5_000);
    expect(over!.admitted.length / 4).toBeGreaterThan(0.1 * (busy!.admitted.length / 2));
  });

  test('a neighbour at ten times the load takes half of the time and causes no refusals in ours', () => {
    const ours = { workspace: 'b', count: 64, ...CHECKS };
    const [theirs, own] = modelled([{ workspace: 'a', count: 640, ...CHECKS }, ours], 5);
    expect(own!.refused).toEqual([]);
    expect(theirs!.refused.length).toBeGreaterThan(10_000);
    expect(at(own!.admitted, 0.99)).toBeLessThan(3.5 * busyMs);
  });

  test('a neighbour whose checks take fifty times as long does not take more either', () => {
    const [theirs, own] = modelled(
      [
        { workspace: 'a', count: 160, runMs: 3, bytes: 64_000 },
        { workspace: 'b', count: 64, ...CHECKS },
      ],
      5,
    );
    expect(own!.refused).toEqual([]);
    expect(theirs!.admitted.length).toBeGreaterThan(100);
    expect(at(own!.admitted, 0.99)).toBeLessThan(3 * busyMs);
  });

  test.each([20, 50])(
    'a neighbour whose checks take %i ms takes half of the time, from a few connections',
    (runMs) => {
      for (const count of [1, 8, 64]) {
        const [theirs, own, alone] = modelled(
          [
            { ...CHECKS, workspace: 'a', count, runMs },
            { workspace: 'b', count: 32, ...CHECKS },
            { workspace: 'c', count: 1, ...CHECKS },
          ],
          5,
        );
        expect([own!.refused, alone!.refused]).toEqual([[], []]);
        expect(theirs!.admitted.length).toBeGreaterThan(10);
        // A check waits for one of theirs, or two if it came while one ran.
        expect(at(own!.admitted, 0.99)).toBeLessThan(3 * runMs);
        expect(at(alone!.admitted, 0.99)).toBeLessThan(3 * runMs);
      }
    },
  );

  test('a single caller beside a neighbour at full load waits for a turn and a commit, not for a queue', () => {
    const [, own] = modelled(
      [
        { workspace: 'a', count: 640, ...CHECKS },
        { workspace: 'b', count: 1, ...CHECKS },
      ],
      5,
    );
    expect(own!.refused).toEqual([]);
    expect(at(own!.admitted, 0.99)).toBeLessThan(busyMs);
  });
});
