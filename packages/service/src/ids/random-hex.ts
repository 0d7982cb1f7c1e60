/** Random hex digits from the system's generator, fetched many at a time: one call per request would show. */
import { randomBytes } from 'node:crypto';

const POOL_BYTES = 8_192;
let pool = '';
let next = 0;

/** INVARIANT: no digit is given out twice. */
export function randomHex(digits: number): string {
  if (next + digits > pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex');
    next = 0;
  }
  next += digits;
  return pool.slice(next - digits, next);
}
