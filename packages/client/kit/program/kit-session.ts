/** Hands scenarios to a driver in any language, one per request, and receives their results. */
import type { Guard, GuardSetting } from '../run-fail-closed-kit.ts';

/**
 * What a driver gets for one scenario. It does not contain the expected result, because a driver must not know
 * it.
 */
export interface ScenarioMessage extends GuardSetting {
  readonly type: 'scenario';
  readonly id: number;
  /** Whether the wrapper opens reviews and waits for them. */
  readonly review: boolean;
}

interface DoneMessage {
  readonly type: 'done';
}

export interface KitSession {
  /** Resolves when the driver takes the scenario, so that its time starts then. */
  makeGuard(setting: GuardSetting, review: boolean): Promise<Guard>;
  /** The driver has room for one more. */
  next(): Promise<ScenarioMessage | DoneMessage>;
  /** False if there is no such scenario. */
  wrote(id: unknown): boolean;
  /** `stopped`: the wrapper's name for what stopped the write, if it has one. */
  ended(id: unknown, stopped?: unknown): boolean;
  /** There are no more scenarios. */
  finish(): void;
  /** The driver cannot continue. The remaining scenarios run no write, and the verdict is a failure. */
  fail(fault: string): void;
  readonly fault: string | undefined;
}

interface Offer {
  readonly setting: GuardSetting;
  readonly review: boolean;
  take(id: number): ScenarioMessage;
  drop(): void;
}

/** `stallMs`: how long the driver may request nothing once it has begun. */
export function createSession(stallMs: number): KitSession {
  const offers: Offer[] = [];
  const askers: ((message: ScenarioMessage | DoneMessage) => void)[] = [];
  const running = new Map<number, { write(): Promise<void>; end(outcome?: object): void }>();
  let count = 0;
  let isDone = false;
  let fault: string | undefined;
  let stall: ReturnType<typeof setTimeout> | undefined;

  function fail(message: string): void {
    fault ??= message;
    for (const offer of offers.splice(0)) offer.drop();
    for (const { end } of running.values()) end();
  }

  function match(): void {
    while (askers.length > 0 && (offers.length > 0 || isDone)) {
      const asker = askers.shift()!;
      const offer = offers.shift();
      count += 1;
      asker(offer === undefined ? { type: 'done' } : offer.take(count));
    }
  }

  return {
    makeGuard: (setting, review) =>
      new Promise((resolve) => {
        if (fault !== undefined) return resolve(() => {});
        offers.push({
          setting,
          review,
          take(id) {
            let end = (_outcome?: object): void => {};
            const ended = new Promise<object | undefined>((settle) => {
              end = settle;
            });
            resolve((write) => {
              running.set(id, { write, end });
              return ended;
            });
            return { type: 'scenario', id, review, ...setting };
          },
          drop: () => resolve(() => {}),
        });
        match();
      }),
    next: () =>
      new Promise((resolve) => {
        clearTimeout(stall);
        stall = setTimeout(fail, stallMs, `the driver asked for no scenario for ${stallMs / 1000} s`).unref();
        askers.push(resolve);
        match();
      }),
    wrote(id) {
      const run = running.get(id as number);
      // A write after the end counts too: the kit looks for exactly this.
      void run?.write();
      return run !== undefined;
    },
    ended(id, stopped) {
      const run = running.get(id as number);
      run?.end({ stopped });
      return run !== undefined;
    },
    finish() {
      clearTimeout(stall);
      isDone = true;
      match();
    },
    fail,
    get fault() {
      return fault;
    },
  };
}
