/** Bytes to a JSON value with nothing left to chance: what two parsers could read differently is refused. */
import { isBeyondDoubt } from './beyond-doubt.ts';
import { type JsonFault, readJson } from './json-reader.ts';
import { DEPTH_MAX } from './limits.ts';
import type { JsonValue } from './write-intent.ts';

export type StrictJson =
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'malformed'; readonly pointer: string; readonly message: string };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function parseStrictJson(bytes: Uint8Array, maxDepth = DEPTH_MAX): StrictJson {
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
    const read = readJson(text, maxDepth);
    // INVARIANT: what JSON.parse refuses is refused, even if our own reader finds no fault.
    return read.kind === 'fault'
      ? malformed(text, read)
      : { kind: 'malformed', pointer: '', message: 'the body is not JSON' };
  }
  if (isBeyondDoubt(value, bytes, text, maxDepth)) return { kind: 'json', value };
  const read = readJson(text, maxDepth);
  return read.kind === 'json' ? read : malformed(text, read);
}

function malformed(text: string, { pointer, message, offset }: JsonFault): StrictJson {
  if (text.startsWith('\ufeff')) {
    return { kind: 'malformed', pointer: '', message: 'the body begins with a byte order mark' };
  }
  return { kind: 'malformed', pointer, message: `${message} (${placeOf(text, offset)})` };
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const lines = before.split('\n');
  const byte = new TextEncoder().encode(before).length;
  return `line ${lines.length}, column ${[...lines.at(-1)!].length + 1}, byte ${byte}`;
}

/** The first byte that differs once U+FFFD replaces everything invalid; the end, if the last character is cut short. */
function firstInvalidByte(bytes: Uint8Array): number {
  const replaced = new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  const at = bytes.findIndex((byte, index) => byte !== replaced[index]);
  return at === -1 ? bytes.length : at;
}
