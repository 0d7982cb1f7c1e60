/** Writes the readings that a commit found into a record that was decided with others. */
import type { EntryLimits, MovedLimits } from '../port/limits.ts';

/** INVARIANT: quotes inside strings are escaped, and the intent comes last, so the first match is the member. */
export function movedRecord(record: Uint8Array, from: EntryLimits, to: MovedLimits): Buffer {
  const whole = Buffer.from(record.buffer, record.byteOffset, record.byteLength);
  return replaced(replaced(whole, 'readings', from.readings, to.readings), 'limits', from.states, to.states);
}

function replaced(bytes: Buffer, member: string, before: string, after: string): Buffer {
  const old = Buffer.from(`,"${member}":${before}`);
  const at = bytes.indexOf(old);
  if (at === -1) throw new TypeError(`a record does not hold the \`${member}\` that it was decided with`);
  const fresh = Buffer.from(`,"${member}":${after}`);
  return Buffer.concat([bytes.subarray(0, at), fresh, bytes.subarray(at + old.length)]);
}
