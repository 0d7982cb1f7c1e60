/** Random hex digits, fetched many at a time for speed: `npm run bench -- micro`, case `random-hex`. */
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
