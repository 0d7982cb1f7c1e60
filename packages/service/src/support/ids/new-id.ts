/** Identifiers: a prefix for the kind and a UUIDv7 as 32 hex digits, so that ids sort by time. */
import { randomBytes } from 'node:crypto';
import { rememberLast } from '../remember-last.ts';

/** The two fixed bits of an RFC 9562 variant in front of two random ones. */
const VARIANTS = '89ab89ab89ab89ab';
const HEX = '0123456789abcdef';

/** Many ids share one millisecond: `npm run bench -- micro`, case `new-id`. */
const timeOf = rememberLast((nowMs: number): string => nowMs.toString(16).padStart(12, '0'));

/** A prefix names the kind, such as `dec_`. */
export function newId(prefix: `${string}_`, nowMs: number): string {
  const time = timeOf(nowMs);
  const random = randomHex(19);
  const variant = VARIANTS[HEX.indexOf(random[0]!)];
  return `${prefix}${time}7${random.slice(1, 4)}${variant}${random.slice(4)}`;
}

const POOL_BYTES = 8_192;
let pool = '';
let next = 0;

/**
 * Random hex digits, fetched many at a time for speed: `npm run bench -- micro`, case `random-hex`. INVARIANT: no digit
 * is given out twice.
 */
export function randomHex(digits: number): string {
  if (next + digits > pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex');
    next = 0;
  }
  next += digits;
  return pool.slice(next - digits, next);
}
