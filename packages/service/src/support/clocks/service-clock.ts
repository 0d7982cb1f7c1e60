/** The clock of a service: compared with a second one every second, and reported when it is wrong. */
import type { Decisions } from '@writecheck/store/port';
import type { Log } from '../observability/log.ts';
import { type ClockAnchor, DatabaseClock, MachineClock } from './clock-reference.ts';
import { type Moment, SteadyClock } from './steady-clock.ts';

interface ClockOptions {
  readonly store: Pick<Decisions, 'look'>;
  readonly clock: () => number;
  readonly log: Log;
  /** The anchor that an earlier process left. */
  readonly kept: ClockAnchor | null;
  /** Milliseconds since the machine started; null if the clock is not compared with anything. */
  readonly uptime: (() => number) | null;
}

export class ServiceClock {
  readonly steady: SteadyClock;
  readonly #options: ClockOptions;
  readonly #reference: DatabaseClock | MachineClock | null;
  #state: Moment['kind'] = 'now';

  private constructor(
    options: ClockOptions,
    newestAtMs: number,
    reference: DatabaseClock | MachineClock | null,
  ) {
    this.#options = options;
    this.#reference = reference;
    this.steady = new SteadyClock(newestAtMs, reference);
    this.#tell();
  }

  static async open(options: ClockOptions): Promise<ServiceClock> {
    const { store, clock, uptime, kept } = options;
    const readAt = performance.now();
    const { newestAtMs, clockMs } = await store.look();
    if (uptime === null) return new ServiceClock(options, newestAtMs, null);
    const reference =
      clockMs === null ? new MachineClock(clock(), { uptime, kept }) : new DatabaseClock(clockMs, readAt);
    return new ServiceClock(options, newestAtMs, reference);
  }

  /** Kept for the next process on this machine. */
  get anchor(): ClockAnchor | null {
    return this.#reference instanceof MachineClock ? this.#reference.anchor : null;
  }

  /** Called once a second. */
  async look(): Promise<void> {
    const readAt = performance.now();
    const { newestAtMs, clockMs } = await this.#options.store.look();
    // Records of other processes count for our time too.
    this.steady.saw(newestAtMs);
    if (this.#reference instanceof MachineClock) this.#reference.look(this.#options.clock());
    else if (clockMs !== null) this.#reference?.read(clockMs, readAt);
    this.#tell();
  }

  #tell(): void {
    const { clock, log } = this.#options;
    const moment = this.steady.at(clock());
    if (moment.kind === this.#state) return;
    this.#state = moment.kind;
    switch (moment.kind) {
      case 'now':
        log.warn({}, 'the clock is right again, and the service decides again');
        return;
      case 'clock_ahead':
        log.error(
          { aheadSeconds: Math.round(moment.aheadMs / 1_000) },
          'the clock is ahead, so the service decides nothing; set the clock',
        );
        return;
      case 'clock_behind':
        log.error(
          { behindSeconds: Math.round(moment.behindMs / 1_000) },
          'the clock is behind the newest record or the second clock, so the service decides nothing; set the clock, or if it is right, run `writecheck audit continue`',
        );
        return;
    }
  }
}
