/** Bytes to a JSON value with nothing left to chance: what two parsers could read differently is refused. */
import { findJsonFault } from './json-fault.ts';
import { DEPTH_LIMIT } from './limits.ts';
import type { JsonValue } from './write-intent.ts';

export type StrictJson =
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'malformed'; readonly pointer: string; readonly message: string };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function parseStrictJson(bytes: Uint8Array, maxDepth = DEPTH_LIMIT): StrictJson {
  if (bytes.length === 0) return { kind: 'malformed', pointer: '', message: 'the body is empty' };
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    const message = `the body is not valid UTF-8 at byte ${firstInvalidByte(bytes)}`;
    return { kind: 'malformed', pointer: '', message };
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return malformed(text, maxDepth);
  }
  // INVARIANT: in valid JSON every name and every string value has exactly two quotes that are not escaped, and
  // JSON.parse drops a name with each duplicate: the counts agree exactly where no name is there twice.
  if (2 * countStrings(value, maxDepth, text.includes('\\u')) === countQuotes(bytes, text))
    return { kind: 'json', value };
  return findJsonFault(text, maxDepth) === null ? { kind: 'json', value } : malformed(text, maxDepth);
}

/** Quotes that are not escaped. A backslash occurs only within strings, and always escapes what comes after it. */
function countQuotes(bytes: Uint8Array, text: string): number {
  let quotes = 0;
  // Without a branch, because the processor cannot guess where the quotes are: this loop is on every request's way.
  for (let at = 0; at < bytes.length; at += 1) quotes += Number(bytes[at] === 0x22);
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at + 2)) {
    if (text[at + 1] === '"') quotes -= 1;
  }
  return quotes;
}

/** How many names and string values there are; NaN (equal to no count) where a closer look is needed. */
function countStrings(value: JsonValue, depthLeft: number, mayHoldSurrogates: boolean): number {
  if (typeof value === 'string') return mayHoldSurrogates && !value.isWellFormed() ? Number.NaN : 1;
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? 0 : Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  if (depthLeft === 0) return Number.NaN;
  if (Array.isArray(value)) return countInside(value, depthLeft, mayHoldSurrogates);
  if (Object.hasOwn(value, '__proto__')) return Number.NaN;
  if (mayHoldSurrogates && !Object.keys(value).every((name) => name.isWellFormed())) return Number.NaN;
  const members = Object.values(value);
  return members.length + countInside(members, depthLeft, mayHoldSurrogates);
}

function countInside(values: readonly JsonValue[], depthLeft: number, mayHoldSurrogates: boolean): number {
  let count = 0;
  for (const value of values) count += countStrings(value, depthLeft - 1, mayHoldSurrogates);
  return count;
}

function malformed(text: string, maxDepth: number): StrictJson {
  if (text.startsWith('\ufeff')) {
    return { kind: 'malformed', pointer: '', message: 'the body begins with a byte order mark' };
  }
  const fault = findJsonFault(text, maxDepth);
  // INVARIANT: what JSON.parse refuses is refused, even if our own search finds nothing.
  if (fault === null) return { kind: 'malformed', pointer: '', message: 'the body is not JSON' };
  return {
    kind: 'malformed',
    pointer: fault.pointer,
    message: `${fault.message} (${placeOf(text, fault.offset)})`,
  };
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const lines = before.split('\n');
  const byte = new TextEncoder().encode(before).length;
  return `line ${lines.length}, column ${[...lines.at(-1)!].length + 1}, byte ${byte}`;
}

/** Where the bytes first differ from what they become with U+FFFD in place of everything invalid. */
function firstInvalidByte(bytes: Uint8Array): number {
  const mended = new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  return bytes.findIndex((byte, at) => byte !== mended[at]);
}
