/** Reads the members a route needs from a body or a query, or refuses with every error. */
import type { BodyShape } from '@writecheck/api';
import { parseStrictJson, pointerTo, shortened } from '@writecheck/contract';
import { type Refusal, refuse } from './refusal.ts';

export type ReadJson<T> = { readonly kind: 'read'; readonly value: T } | Refusal;

export function readJson<T>(shape: BodyShape<T>, body: Uint8Array): ReadJson<T> {
  const parsed = parseStrictJson(body);
  if (parsed.kind === 'malformed') {
    const { pointer, message } = parsed;
    return refuse('malformed_json', message, [{ pointer, message }]);
  }
  return readValue(shape, parsed.value);
}

export function readValue<T>(shape: BodyShape<T>, value: unknown): ReadJson<T> {
  const read = shape.read(value);
  if ('value' in read) return { kind: 'read', value: read.value };
  const [first] = read.faults;
  const more = read.faults.length - 1;
  return refuse(
    'invalid_request',
    more === 0 ? first!.message : `${first!.message}, and ${more} more`,
    read.faults,
  );
}

/** A repeated name is refused: a proxy in front may have read the other value. */
export function readQuery<T>(shape: BodyShape<T>, query: URLSearchParams): ReadJson<T> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const name of query.keys()) (seen.has(name) ? repeated : seen).add(name);
  if (repeated.size === 0) return readValue(shape, Object.fromEntries(query));
  const details = Array.from(repeated, (name) => ({
    pointer: pointerTo('', name),
    message: `\`${shortened(name)}\` appears more than once; send it once`,
  }));
  return refuse('invalid_request', details[0]!.message, details);
}
