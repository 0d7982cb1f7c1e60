/** Converts SQLite's values to JSON. */
import type { JsonValue } from '@writecheck/contract';
import { exactDecimal, exactWhole } from './exact-number.ts';

/** Undefined for values that JSON cannot hold exactly: bytes, long numbers and infinities. */
export function sqliteValue(value: unknown): JsonValue | undefined {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'bigint') return exactWhole(String(value));
  if (typeof value === 'number') return exactDecimal(String(value));
  return undefined;
}
