/** Counts events per subject in fixed windows, in bounded memory. */

export interface Admission {
  readonly admitted: boolean;
  readonly remaining: number;
  readonly resetsInMs: number;
}

interface Window {
  count: number;
  readonly startedMs: number;
}

/** Past this many subjects the one seen first is dropped: a flood of addresses must not fill the memory. */
const SUBJECTS_MAX = 100_000;

export class WindowLimit {
  readonly limit: number;
  readonly windowMs: number;
  /** Called for everything counted here, so that other processes can count it too. */
  onCounted: ((subject: string, events: number) => void) | null = null;
  readonly #windows = new Map<string, Window>();

  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
  }

  /** Counts one event of the subject; a refused event is not counted. */
  take(subject: string, nowMs: number): Admission {
    const window = this.#running(subject, nowMs) ?? this.#begin(subject, nowMs);
    const admitted = window.count < this.limit;
    if (admitted) {
      window.count += 1;
      this.onCounted?.(subject, 1);
    }
    return { admitted, ...this.#left(window, nowMs) };
  }

  /** Whether one more event would be admitted, without counting it. */
  peek(subject: string, nowMs: number): Admission {
    const window = this.#running(subject, nowMs) ?? { count: 0, startedMs: nowMs };
    return { admitted: window.count < this.limit, ...this.#left(window, nowMs) };
  }

  /** Counts events that were admitted together as one: the window lasts as long as they would have taken. */
  charge(subject: string, events: number, nowMs: number): void {
    this.countElsewhere(subject, events, nowMs);
    this.onCounted?.(subject, events);
  }

  /** Counts events that another process admitted. */
  countElsewhere(subject: string, events: number, nowMs: number): void {
    const window = this.#running(subject, nowMs) ?? this.#begin(subject, nowMs);
    window.count += events;
  }

  #begin(subject: string, nowMs: number): Window {
    const window = { count: 0, startedMs: nowMs };
    this.#windows.delete(subject);
    this.#windows.set(subject, window);
    this.#forgetOldest();
    return window;
  }

  #running(subject: string, nowMs: number): Window | null {
    const window = this.#windows.get(subject);
    // A clock set back ends the window too; otherwise a subject could stay refused for long.
    if (window === undefined || nowMs >= this.#endMs(window) || nowMs < window.startedMs) return null;
    return window;
  }

  #endMs({ count, startedMs }: Window): number {
    return startedMs + this.windowMs * Math.max(1, count / this.limit);
  }

  #left(window: Window, nowMs: number): Pick<Admission, 'remaining' | 'resetsInMs'> {
    return { remaining: Math.max(0, this.limit - window.count), resetsInMs: this.#endMs(window) - nowMs };
  }

  #forgetOldest(): void {
    if (this.#windows.size <= SUBJECTS_MAX) return;
    for (const subject of this.#windows.keys()) {
      this.#windows.delete(subject);
      return;
    }
  }
}
