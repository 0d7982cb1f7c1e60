/** Whether a JSON value is an object. */
import type { JsonObject } from '@writecheck/contract';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
