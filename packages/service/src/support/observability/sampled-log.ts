/** A log for errors that repeat by the hundred in an outage: the first line in full, then a count of repetitions. */
import type { Log } from './log.ts';

const EVERY_MS = 10_000;
/** Beyond this many different errors, errors with the same message count together. */
const KINDS_MAX = 32;

interface Repeated {
  readonly level: 'warn' | 'error';
  readonly message: string;
  readonly fields: object;
  times: number;
}

type Fields = { readonly error?: unknown; readonly cause?: unknown; readonly why?: unknown };

/** Lines are the same if message, `why`, `error` and `cause` are. Lines at info and debug go through. */
export function sampledLog(log: Log): Log & { stop(): void } {
  const seen = new Map<string, Repeated>();
  let timer: NodeJS.Timeout | null = null;

  const flush = (): void => {
    timer = null;
    for (const [key, { level, message, fields, times }] of seen) {
      // An error that did not recur is over; its next line counts as new.
      if (times === 0) seen.delete(key);
      else log[level]({ ...fields, times, withinMs: EVERY_MS }, message);
    }
    for (const repeated of seen.values()) repeated.times = 0;
    if (seen.size > 0) wait();
  };
  function wait(): void {
    timer ??= setTimeout(flush, EVERY_MS);
    timer.unref();
  }

  const sample = (level: 'warn' | 'error', fields: Fields, message: string): void => {
    const { why, error, cause } = fields;
    const exact = JSON.stringify([level, message, why, error, cause]);
    const key = seen.has(exact) || seen.size < KINDS_MAX ? exact : JSON.stringify([level, message]);
    const repeated = seen.get(key);
    if (repeated !== undefined) {
      repeated.times += 1;
      return;
    }
    log[level](fields, message);
    // The cause is already logged; repetitions only say what happened and how often.
    seen.set(key, { level, message, fields: why === undefined ? { error } : { why, error }, times: 0 });
    wait();
  };
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => sample('warn', fields, message),
    error: (fields, message) => sample('error', fields, message),
    stop() {
      if (timer === null) return;
      clearTimeout(timer);
      flush();
      if (timer !== null) clearTimeout(timer);
    },
  };
}
