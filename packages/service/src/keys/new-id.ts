/** Identifiers: a prefix that says what it names and a UUIDv7 as 32 hex digits, so that ids sort by time. */
import { randomUUID } from 'node:crypto';

export type IdPrefix = 'dec_' | 'aud_' | 'req_' | 'key_' | 'ws_';

export function newId(prefix: IdPrefix, nowMs: number): string {
  // A random UUID has its variant and 74 random bits where version 7 wants them; only the head differs.
  const random = randomUUID();
  const time = nowMs.toString(16).padStart(12, '0');
  return `${prefix}${time}7${random.slice(15, 18)}${random.slice(19, 23)}${random.slice(24)}`;
}
