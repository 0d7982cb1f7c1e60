/** The newest allows that this thread recorded: most outcomes are reported soon, and need not be looked up in the log. */

interface RecentAllow {
  readonly workspace: string;
  readonly keyId: string;
  readonly atMs: number;
}

/** A few megabytes in all. */
const GENERATION_MAX = 10_000;

/** INVARIANT: it holds what was committed, and says nothing of what happened since: whoever asks checks that itself. */
export class RecentAllows {
  #newest = new Map<string, RecentAllow>();
  #older = new Map<string, RecentAllow>();

  add(decisionId: string, allow: RecentAllow): void {
    if (this.#newest.size >= GENERATION_MAX) {
      this.#older = this.#newest;
      this.#newest = new Map();
    }
    this.#newest.set(decisionId, allow);
  }

  /** Another workspace's decision looks the same as one that is not known. */
  find(workspace: string, decisionId: string): RecentAllow | null {
    const found = this.#newest.get(decisionId) ?? this.#older.get(decisionId);
    return found?.workspace === workspace ? found : null;
  }
}
