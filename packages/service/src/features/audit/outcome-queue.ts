/** Outcomes that arrive while some are being recorded share the next commit. */
import type { Store } from '@writecheck/store/port';
import type { NewOutcome, OutcomeRecorded } from '@writecheck/store/port/outcomes';

/** Checks wait meanwhile. */
const TOGETHER_MAX = 256;

interface Waiting {
  readonly outcome: NewOutcome;
  readonly resolve: (recorded: OutcomeRecorded) => void;
  readonly reject: (error: unknown) => void;
}

export class OutcomeQueue {
  readonly #store: Pick<Store, 'recordOutcomes'>;
  #waiting: Waiting[] = [];
  #isRecording = false;

  constructor(store: Pick<Store, 'recordOutcomes'>) {
    this.#store = store;
  }

  record(outcome: NewOutcome): Promise<OutcomeRecorded> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ outcome, resolve, reject });
      if (!this.#isRecording) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isRecording = true;
    // Requests that arrived together are read first.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(0, TOGETHER_MAX);
      try {
        const recorded = await this.#store.recordOutcomes(some.map(({ outcome }) => outcome));
        for (const [i, { resolve }] of some.entries()) resolve(recorded[i]!);
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
    this.#isRecording = false;
  }
}
