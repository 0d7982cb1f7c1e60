/** Identifiers: a prefix that says what it names and a UUIDv7 as 32 hex digits, so that ids sort by time. */
import { randomHex } from './random-hex.ts';

export type IdPrefix = 'dec_' | 'aud_' | 'req_' | 'key_' | 'ws_' | 'rev_';

/** The two fixed bits of an RFC 9562 variant in front of two random ones. */
const VARIANTS = '89ab89ab89ab89ab';
const HEX = '0123456789abcdef';

let lastMs = -1;
let lastTime = '';

/** Many ids fall into one millisecond. */
function timeOf(nowMs: number): string {
  if (nowMs !== lastMs) {
    lastTime = nowMs.toString(16).padStart(12, '0');
    lastMs = nowMs;
  }
  return lastTime;
}

export function newId(prefix: IdPrefix, nowMs: number): string {
  const time = timeOf(nowMs);
  const random = randomHex(19);
  const variant = VARIANTS[HEX.indexOf(random[0]!)];
  return `${prefix}${time}7${random.slice(1, 4)}${variant}${random.slice(4)}`;
}
