/** A line for refused requests at info, so that a caller's request id leads somewhere; sampled, so that no caller can fill the log. */
import type { Log } from './log.ts';

const EVERY_MS = 10_000;
/** Refusals of one code for one key or person, within that time. */
const ALIKE_MAX = 3;
const LINES_MAX = 100;

interface RefusedRequest {
  readonly code: string;
  /** The id of the key or person; omitted if unknown. */
  readonly actor?: string;
}

export class RefusedRequests {
  readonly #log: Pick<Log, 'info'>;
  readonly #timer: NodeJS.Timeout;
  readonly #seen = new Map<string, number>();
  #lines = 0;
  readonly #untold = new Map<string, number>();

  constructor(log: Pick<Log, 'info'>) {
    this.#log = log;
    this.#timer = setInterval(() => this.#begin(), EVERY_MS);
    this.#timer.unref();
  }

  add(refused: RefusedRequest): void {
    const { code, actor = '' } = refused;
    const alike = `${code} ${actor}`;
    const times = this.#seen.get(alike) ?? 0;
    if (times >= ALIKE_MAX || this.#lines >= LINES_MAX) {
      this.#untold.set(code, (this.#untold.get(code) ?? 0) + 1);
      return;
    }
    this.#seen.set(alike, times + 1);
    this.#lines += 1;
    this.#log.info(refused, 'refused');
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#begin();
  }

  #begin(): void {
    if (this.#untold.size > 0)
      this.#log.info(
        { codes: Object.fromEntries(this.#untold), withinMs: EVERY_MS },
        'more requests were refused than have a line of their own',
      );
    this.#untold.clear();
    this.#seen.clear();
    this.#lines = 0;
  }
}
