/** Structured logs on stderr. INVARIANT: nothing that looks like one of our secrets, or a bearer or JWS, is written. */
import { pino } from 'pino';
import type { Config } from '../config/settings.ts';
import { redact } from './redact.ts';

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** May change while the service runs; a log that has none writes no debug lines. */
  level?: string;
}

/** `worker` is the number of a deciding thread, if there are several. */
export function createLog(level: Config['logLevel'], write?: (line: string) => void, worker?: number): Log {
  const options = {
    level,
    base: worker === undefined ? { pid: process.pid } : { pid: process.pid, worker },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: redact },
  };
  // Synchronous: the line that says why the process ends must be out before it ends.
  return write === undefined
    ? pino(options, pino.destination({ dest: 2, sync: true }))
    : pino(options, { write });
}
