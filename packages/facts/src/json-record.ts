/** A record that a source returned as JSON. */
import { type JsonObject, type JsonValue, parseStrictJson } from '@writecheck/contract';
import { FactsUnavailable } from './failures.ts';
import { isKeyOf } from './key-of-record.ts';

export interface RecordRules {
  /** The JSON pointer of the record in the response; empty for the whole response. */
  readonly pick: string;
  /** The JSON pointer, relative to `pick`, of the member that identifies the record. */
  readonly key: string;
}

const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

export function isPointer(text: string): boolean {
  return POINTER.test(text);
}

export function recordOf(bytes: Uint8Array, { pick, key }: RecordRules, objectRef: string): JsonObject {
  const parsed = parseStrictJson(bytes);
  if (parsed.kind !== 'json') throw new FactsUnavailable('it did not return strict JSON');
  const record = at(parsed.value, pick);
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    throw new FactsUnavailable('it did not return a JSON object');
  if (!isKeyOf(at(record, key), objectRef))
    throw new FactsUnavailable('it returned no `key`, or the record of another object');
  return record as JsonObject;
}

function at(value: JsonValue, pointer: string): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(found)) found = /^(?:0|[1-9]\d{0,8})$/.test(name) ? found[Number(name)] : undefined;
    else if (typeof found === 'object' && found !== null && Object.hasOwn(found, name))
      found = (found as JsonObject)[name];
    else return undefined;
  }
  return found;
}
