/** Callers that wait for a change to a review; each costs a promise and a timer. */
import type { Change } from '@writecheck/store/port';

const WAITS_OF_KEY_MAX = 20;
const WAITS_MAX = 1_000;

interface Wait {
  /** Resolves at the next sign of a change, including an earlier one, or when the time is over. */
  next(ms: number): Promise<void>;
  /** Gives its place back; a wait in progress resolves. */
  end(): void;
  readonly hasEnded: boolean;
}

interface Waiting {
  readonly workspace: string;
  readonly reviewId: string;
  signs: number;
  wake: (() => void) | null;
}

export class ReviewWaits {
  readonly #waiting = new Map<string, Set<Waiting>>();
  readonly #ofKey = new Map<string, number>();
  #held = 0;
  #isOver = false;

  get held(): number {
    return this.#held;
  }

  /**
   * Begin before reading, so that no change is missed. Null if there are too many waits, or the service is stopping.
   */
  begin(keyId: string, workspace: string, reviewId: string): Wait | null {
    const ofKey = this.#ofKey.get(keyId) ?? 0;
    if (this.#isOver || ofKey >= WAITS_OF_KEY_MAX || this.#held >= WAITS_MAX) return null;
    const waiting: Waiting = { workspace, reviewId, signs: 0, wake: null };
    const all = this.#waiting.get(reviewId) ?? new Set();
    this.#waiting.set(reviewId, all.add(waiting));
    this.#ofKey.set(keyId, ofKey + 1);
    this.#held += 1;
    let hasEnded = false;
    return {
      next: (ms) => this.#next(waiting, ms),
      get hasEnded() {
        return hasEnded;
      },
      end: () => {
        if (hasEnded) return;
        hasEnded = true;
        this.#held -= 1;
        const left = this.#ofKey.get(keyId)! - 1;
        if (left === 0) this.#ofKey.delete(keyId);
        else this.#ofKey.set(keyId, left);
        all.delete(waiting);
        if (all.size === 0 && this.#waiting.get(reviewId) === all) this.#waiting.delete(reviewId);
        waiting.wake?.();
      },
    };
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  #next(waiting: Waiting, ms: number): Promise<void> {
    if (waiting.signs > 0 || this.#isOver || ms <= 0) {
      waiting.signs = 0;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        waiting.wake = null;
        waiting.signs = 0;
        resolve();
      };
      const timer = setTimeout(wake, ms);
      waiting.wake = wake;
    });
  }

  /** A policy change may outdate any review of the workspace. */
  follow(change: Change): void {
    if (change.kind === 'key') return;
    if (change.kind === 'review') this.wake(change.reviewId);
    else this.#wakeWhere((each) => change.kind === 'everything' || each.workspace === change.workspace);
  }

  wake(reviewId: string): void {
    for (const waiting of this.#waiting.get(reviewId) ?? []) sign(waiting);
  }

  /** The service is stopping: waiting callers get their responses now, and no new wait begins. */
  endAll(): void {
    this.#isOver = true;
    this.#wakeWhere(() => true);
  }

  #wakeWhere(isMeant: (waiting: Waiting) => boolean): void {
    for (const all of this.#waiting.values()) {
      for (const waiting of all) if (isMeant(waiting)) sign(waiting);
    }
  }
}

function sign(waiting: Waiting): void {
  waiting.signs += 1;
  waiting.wake?.();
}
