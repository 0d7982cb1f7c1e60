/** Many requests, one sync: while one commit is in flight, arriving requests and outcomes join the next. */
import {
  type CommitRequest,
  type CommitResult,
  type Decisions,
  StoreUnavailable,
} from '@writecheck/store/port';
import type { NewOutcome, OutcomeRecorded } from '@writecheck/store/port/outcomes';
import type { CommitObserver } from '../support/observability/commit-observer.ts';

/** The commit failed or its outcome is unknown: a record may or may not exist, so no decision may be sent. */
interface Unavailable {
  readonly kind: 'unavailable';
  readonly failure: StoreUnavailable;
}

/** The result of submitting: the store's outcome, or why there is none. Never a guess. */
export type Submitted = CommitResult | Unavailable;
type Reported = OutcomeRecorded | Unavailable;

interface Member<Wish, Result> {
  readonly wish: Wish;
  readonly characters: number;
  readonly settle: (result: Result | Unavailable) => void;
}

type Submission = Member<CommitRequest, CommitResult>;
type Report = Member<NewOutcome, OutcomeRecorded>;

export interface GroupCommitLimits {
  /** Callers stop waiting after this long without an outcome from the store. */
  readonly deadlineMs: number;
}

export const GROUP_COMMIT_LIMITS: GroupCommitLimits = { deadlineMs: 2_000 };

const COMMIT_REQUESTS_MAX = 256;
/** Checks wait meanwhile. */
const COMMIT_REPORTS_MAX = 256;
/** The size of a report besides its texts. */
const REPORT_CHARACTERS = 500;
/** Fewer requests are not worth a commit of their own while others may be about to join. */
const HALF_MIN = 4;
/**
 * Counts the characters of records and kept responses, which are handed over and released in one turn. A commit is
 * larger only if its first request alone is.
 */
const COMMIT_CHARACTERS_MAX = 2 * 1024 * 1024;
const WAITING_CHARACTERS_MAX = 64 * 1024 * 1024;

/** Failures that are over as soon as any write succeeds. */
const PASSES_WITH_A_WRITE: ReadonlySet<StoreUnavailable['why']> = new Set([
  'io',
  'timeout',
  'busy',
  'read_only',
]);

type CommitStore = Pick<Decisions, 'commit' | 'commitsBeside'>;

export class GroupCommit {
  readonly #store: CommitStore;
  readonly #limits: GroupCommitLimits;
  readonly #observer: CommitObserver | null;
  #queue: Submission[] = [];
  #reports: Report[] = [];
  #underWay = 0;
  /** The characters of everything queued or being committed. */
  #characters = 0;
  #isScheduled = false;
  #isCommitting = false;
  #wasAlone = false;
  /** The highest recent number of concurrent requests: it falls by one with every commit. */
  #recentPeak = 0;
  /** True from when a commit misses its deadline until the store settles it. */
  #isStalled = false;
  /** Why the newest commit failed; null if it succeeded. */
  #failed: { readonly atMs: number; readonly why: StoreUnavailable['why'] } | null = null;

  constructor(store: CommitStore, limits: GroupCommitLimits, observer: CommitObserver | null) {
    this.#store = store;
    this.#limits = limits;
    this.#observer = observer;
  }

  /**
   * Whether a commit hangs, or the newest one failed recently: the next one would probably fail too. A write that
   * succeeded after it was tried at `wroteAtMs` shows that the store can be reached again, but not that a full disk has
   * room for a commit.
   */
  isFailing(withinMs: number, wroteAtMs: number): boolean {
    if (this.#isStalled) return true;
    if (this.#failed === null) return false;
    const { atMs, why } = this.#failed;
    return performance.now() - atMs < withinMs && !(wroteAtMs > atMs && PASSES_WITH_A_WRITE.has(why));
  }

  /** A request that will submit has begun; `leave` follows. */
  enter(): void {
    this.#underWay += 1;
  }

  leave(): void {
    this.#underWay -= 1;
  }

  /** Never rejects. */
  submit(request: CommitRequest): Promise<Submitted> {
    return this.#join(this.#queue, request, charactersOf(request));
  }

  /** Records the outcome of an allow. Never rejects. */
  report(outcome: NewOutcome): Promise<Reported> {
    const { note, ref } = outcome;
    const characters = REPORT_CHARACTERS + (note?.length ?? 0) + (ref?.length ?? 0);
    return this.#join(this.#reports, outcome, characters);
  }

  #join<Wish, Result>(
    queue: Member<Wish, Result>[],
    wish: Wish,
    characters: number,
  ): Promise<Result | Unavailable> {
    if (this.#isStalled) return Promise.resolve(stalled());
    if (this.#characters > 0 && this.#characters + characters > WAITING_CHARACTERS_MAX) {
      const failure = new StoreUnavailable(
        'busy',
        'too many decisions are waiting to be recorded; try again in a moment',
      );
      return Promise.resolve({ kind: 'unavailable', failure });
    }
    this.#characters += characters;
    return new Promise((resolve) => {
      const settle = (result: Result | Unavailable) => {
        this.#characters -= characters;
        resolve(result);
      };
      queue.push({ wish, characters, settle });
      this.#schedule();
    });
  }

  /**
   * Commits after the sockets that are ready now have been read, so that their requests share the commit. Commits
   * immediately if the last request was alone, because probably no other will join. Also commits immediately if half of
   * all requests are there and the store runs beside us: it works on these while the others are decided.
   */
  #schedule(): void {
    const waiting = this.#queue.length + this.#reports.length;
    if (this.#isCommitting || waiting === 0) return;
    const isHalf = waiting >= Math.max(HALF_MIN, this.#recentPeak / 2);
    if (this.#wasAlone || (isHalf && this.#store.commitsBeside)) return void this.#commit();
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (!this.#isCommitting && this.#queue.length + this.#reports.length > 0) void this.#commit();
    });
  }

  #take(): Submission[] {
    let total = 0;
    let count = 0;
    for (const { characters } of this.#queue) {
      total += characters;
      if (count > 0 && (count === COMMIT_REQUESTS_MAX || total > COMMIT_CHARACTERS_MAX)) break;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  async #commit(): Promise<void> {
    const group = this.#take();
    const reports = this.#reports.splice(0, COMMIT_REPORTS_MAX);
    this.#wasAlone = group.length + reports.length === 1 && this.#underWay <= 1;
    this.#recentPeak = Math.max(this.#underWay, this.#recentPeak - 1);
    const requests = group.map(({ wish }) => wish);
    const sent = reports.length;
    const startedMs = performance.now();
    this.#isCommitting = true;
    const deadline = setTimeout(() => this.#stall(group, reports), this.#limits.deadlineMs);
    let failure: StoreUnavailable | null = null;
    try {
      const { decided, recorded } = await this.#store.commit(
        requests,
        reports.map(({ wish }) => wish),
      );
      // INVARIANT: one for each, in order; otherwise nobody can tell which request an outcome belongs to.
      if (decided.length !== requests.length || recorded.length !== sent)
        throw new StoreUnavailable('unknown', 'the store returned another number of results than requests');
      settleAll(group, (i) => decided[i]!);
      settleAll(reports, (i) => recorded[i]!);
    } catch (thrown) {
      failure =
        thrown instanceof StoreUnavailable
          ? thrown
          : new StoreUnavailable('unknown', 'the commit failed', thrown);
      const unavailable: Unavailable = { kind: 'unavailable', failure };
      settleAll(group, () => unavailable);
      settleAll(reports, () => unavailable);
    }
    clearTimeout(deadline);
    this.#isCommitting = false;
    this.#isStalled = false;
    const endedMs = performance.now();
    const hadFailed = this.#failed !== null;
    this.#failed = failure === null ? null : { atMs: endedMs, why: failure.why };
    this.#observer?.metrics?.committed(requests.length, endedMs - startedMs, failure);
    if (hadFailed !== (failure !== null)) this.#observer?.changed(failure, requests.length);
    this.#schedule();
  }

  #stall(group: Submission[], reports: Report[]): void {
    this.#isStalled = true;
    settleAll(group, stalled);
    settleAll(reports, stalled);
    settleAll(this.#queue, stalled);
    settleAll(this.#reports, stalled);
  }
}

/** The first settling counts: a stalled group is already empty when its late outcome arrives. */
function settleAll<Result>(
  members: Member<unknown, Result>[],
  resultAt: (index: number) => Result | Unavailable,
): void {
  for (const [i, { settle }] of members.entries()) settle(resultAt(i));
  members.length = 0;
}

function charactersOf({ record }: CommitRequest): number {
  return record.before.length + record.intent.length;
}

function stalled(): Unavailable {
  return {
    kind: 'unavailable',
    failure: new StoreUnavailable('timeout', 'the store did not respond in time'),
  };
}
