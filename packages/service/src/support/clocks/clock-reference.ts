/**
 * The second clock that the system clock is compared with: the database's, or the machine's count of time since it
 * started.
 */
import { readFileSync } from 'node:fs';
import os from 'node:os';

export interface ClockReference {
  /** How far this time of the system clock is ahead; negative if it is behind. */
  aheadMs(clockMs: number): number;
}

/** Counts on from the newest reading, because it is read once a second and every check needs it. */
export class DatabaseClock implements ClockReference {
  #readMs: number;
  #readAt: number;

  /** `readAt` is from `performance.now()`, taken before the database was asked. */
  constructor(databaseMs: number, readAt: number) {
    this.#readMs = databaseMs;
    this.#readAt = readAt;
  }

  read(databaseMs: number, readAt: number): void {
    this.#readMs = databaseMs;
    this.#readAt = readAt;
  }

  aheadMs(clockMs: number): number {
    return clockMs - (this.#readMs + performance.now() - this.#readAt);
  }
}

/** Both clocks at one moment, with the start of the machine that the uptime counts from. */
export interface ClockAnchor {
  readonly clockMs: number;
  readonly uptimeMs: number;
  readonly boot: string;
}

const STEP_MS_MAX = 60_000;
/** Two clocks of one machine drift apart; this is far more than they do. */
const DRIFT = 0.001;
/** A clock that was set is trusted after this long, when no earlier allow is still valid. */
export const TRUSTED_AFTER_MS = 5 * 60_000;

export function machineUptimeMs(): number {
  return os.uptime() * 1_000;
}

/** Changes with every start of the machine; null if the system does not show it. */
export function bootId(file = '/proc/sys/kernel/random/boot_id'): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    // INVARIANT: a sandbox that hides the file does not make a restart trust a clock that was set ahead. At worst, a
    // machine that has restarted waits for its clock to be trusted again.
    return process.platform === 'linux' ? 'hidden' : null;
  }
}

/**
 * The reference if the store has no clock of its own. Uptime includes sleep, so a suspended laptop is not ahead; a
 * clock that someone sets ahead is.
 */
export class MachineClock implements ClockReference {
  readonly #uptime: () => number;
  readonly #boot: string | null;
  #clockMs: number;
  #uptimeMs: number;
  #readAt = performance.now();
  #jump: { readonly aheadMs: number; readonly uptimeMs: number } | null = null;

  /** `kept` is the anchor that an earlier process left; it counts if the machine has not restarted since. */
  constructor(
    clockMs: number,
    {
      uptime = machineUptimeMs,
      boot = bootId(),
      kept = null,
    }: {
      readonly uptime?: () => number;
      readonly boot?: string | null;
      readonly kept?: ClockAnchor | null;
    } = {},
  ) {
    this.#uptime = uptime;
    this.#boot = boot;
    const uptimeMs = uptime();
    const isSame = kept !== null && kept.boot === boot && kept.uptimeMs <= uptimeMs;
    this.#clockMs = isSame ? kept.clockMs : clockMs;
    this.#uptimeMs = isSame ? kept.uptimeMs : uptimeMs;
    this.look(clockMs);
  }

  /** Kept for the next process; null if that process could not tell whether the machine has restarted. */
  get anchor(): ClockAnchor | null {
    if (this.#boot === null) return null;
    return { clockMs: this.#clockMs, uptimeMs: this.#uptimeMs, boot: this.#boot };
  }

  /** Called once a second. */
  look(clockMs: number): void {
    const uptimeMs = this.#uptime();
    const passedMs = uptimeMs - this.#uptimeMs;
    const expectedMs = this.#clockMs + passedMs;
    const aheadMs = clockMs - expectedMs;
    const isSteady = Math.abs(aheadMs) <= STEP_MS_MAX + passedMs * DRIFT;
    if (isSteady) this.#jump = null;
    else if (this.#jump === null || Math.abs(aheadMs - this.#jump.aheadMs) > STEP_MS_MAX)
      this.#jump = { aheadMs, uptimeMs };
    const isTrusted = this.#jump !== null && uptimeMs - this.#jump.uptimeMs >= TRUSTED_AFTER_MS;
    if (isTrusted) this.#jump = null;
    // A clock that was just set back keeps the count, so that setting it right again does not count as a jump.
    this.#clockMs = isSteady || isTrusted ? clockMs : expectedMs;
    this.#uptimeMs = uptimeMs;
    this.#readAt = performance.now();
  }

  aheadMs(clockMs: number): number {
    // The process's own count is enough most of the time and costs no system call. It stands still while the machine
    // sleeps, so a clock that seems to be ahead is compared again.
    if (clockMs - this.#expectedMs() > STEP_MS_MAX) this.look(clockMs);
    return clockMs - this.#expectedMs();
  }

  #expectedMs(): number {
    return this.#clockMs + performance.now() - this.#readAt;
  }
}
