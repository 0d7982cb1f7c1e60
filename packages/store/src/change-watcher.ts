/**
 * Polls the trail of changes a few times a second, and on request; after a failed poll, nothing cached is
 * trusted.
 */
import type { Change } from './port/changes.ts';
import type { Store } from './port.ts';

const LOOK_EVERY_MS = 200;
/** A poll that takes longer counts as failed: a cached entry must not outlive a second. */
const LOOK_WITHIN_MS = 400;

/** A trail of changes in a database. */
export interface Trail {
  /** Reads the changes since the previous call. */
  read(): Promise<readonly Change[]>;
  /** Called after a failed or overdue poll. */
  lose(): void;
}

interface Listener {
  readonly changed: (change: Change) => void;
  readonly unchanged: ((atMs: number) => void) | undefined;
}

export class ChangeWatcher {
  readonly #trail: Trail;
  readonly #listeners = new Set<Listener>();
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;
  #isAskedAgain = false;
  #isLost = false;
  #isStopped = false;

  constructor(trail: Trail) {
    this.#trail = trail;
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  readonly watch: Store['watch'] = (changed, unchanged) => {
    const listener: Listener = { changed, unchanged };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  look(): void {
    if (this.#isLooking) {
      this.#isAskedAgain = true;
      return;
    }
    this.#isLooking = true;
    const atMs = performance.now();
    const overdue = setTimeout(() => this.#lose(), LOOK_WITHIN_MS);
    overdue.unref();
    this.#trail
      .read()
      .then(
        (changes) => {
          // INVARIANT: after the trail was unreachable, nothing cached before is trusted.
          this.#tell(this.#isLost ? [{ kind: 'everything' }] : changes, atMs);
          this.#isLost = false;
        },
        () => this.#lose(),
      )
      .finally(() => {
        clearTimeout(overdue);
        this.#isLooking = false;
        if (this.#isAskedAgain && !this.#isStopped) {
          this.#isAskedAgain = false;
          this.look();
        }
      });
  }

  #lose(): void {
    this.#isLost = true;
    this.#trail.lose();
    this.#tell([{ kind: 'everything' }], performance.now());
  }

  /** `atMs` is when the poll began: it may have missed a later change. */
  #tell(changes: readonly Change[], atMs: number): void {
    if (this.#isStopped) return;
    for (const { changed, unchanged } of this.#listeners) {
      for (const change of changes) changed(change);
      if (changes.length === 0) unchanged?.(atMs);
    }
  }
}
