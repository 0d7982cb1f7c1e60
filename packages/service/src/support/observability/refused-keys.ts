/** Counts refused authentications and logs the counts once a minute: a guessed or stolen key leaves a trace at info. */
import type { Log } from './log.ts';

const EVERY_MS = 60_000;
/** An attacker with many addresses must not fill the memory or the log. */
const ADDRESSES_MAX = 1_000;
const ADDRESSES_LOGGED = 5;

export class RefusedKeys {
  readonly #log: Pick<Log, 'info'>;
  readonly #timer: NodeJS.Timeout;
  readonly #byCode = new Map<string, number>();
  readonly #byAddress = new Map<string, number>();

  constructor(log: Pick<Log, 'info'>) {
    this.#log = log;
    this.#timer = setInterval(() => this.#tell(), EVERY_MS);
    this.#timer.unref();
  }

  count(code: string, address: string): void {
    this.#byCode.set(code, (this.#byCode.get(code) ?? 0) + 1);
    const known = this.#byAddress.get(address);
    if (known !== undefined || this.#byAddress.size < ADDRESSES_MAX) {
      this.#byAddress.set(address, (known ?? 0) + 1);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#tell();
  }

  #tell(): void {
    if (this.#byCode.size === 0) return;
    const most = [...this.#byAddress].sort(([, a], [, b]) => b - a).slice(0, ADDRESSES_LOGGED);
    this.#log.info(
      { codes: Object.fromEntries(this.#byCode), mostByAddress: Object.fromEntries(most) },
      'authentications were refused since the last such line, at most one a minute',
    );
    this.#byCode.clear();
    this.#byAddress.clear();
  }
}
