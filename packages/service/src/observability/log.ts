/** Structured logs on stderr. INVARIANT: nothing that looks like one of our secrets, or a bearer or JWS, is written. */
import { pino } from 'pino';
import type { Config } from '../config/settings.ts';

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Whole keys, and long pieces of them; bearer tokens of any kind; compact JWS such as attestations. */
const SECRETS =
  /wck_(dev|live|own)_[0-9A-Za-z]{6,}|\b(Bearer|Basic) +[\w.~+/=-]+|\beyJ[\w-]{8,}\.[\w-]+\.?[\w-]*|(\/\/[^\s:@/"]+):[^\s@/"]+@/gi;

export function redact(line: string): string {
  return line.replaceAll(SECRETS, (_match, kind?: string, scheme?: string, user?: string) => {
    if (kind !== undefined) return `wck_${kind}_[redacted]`;
    if (scheme !== undefined) return `${scheme} [redacted]`;
    return user === undefined ? '[redacted]' : `${user}:[redacted]@`;
  });
}

export function createLog(level: Config['logLevel'], write?: (line: string) => void): Log {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: redact },
  };
  // Synchronous: a line about why the process ends must be out before it ends.
  return write === undefined
    ? pino(options, pino.destination({ dest: 2, sync: true }))
    : pino(options, { write });
}
