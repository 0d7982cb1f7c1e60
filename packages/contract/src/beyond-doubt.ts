/**
 * Tells whether JSON.parse can be trusted, so that few bodies need the slow reader: `npm run bench -- micro`, case
 * `strict-json`.
 */
import { countQuotes } from './count-quotes.ts';
import type { JsonObject, JsonValue } from './write-intent.ts';

const COLON_AFTER_QUOTE = /"[ \t\n\r]*:/y;

/** Whether JSON.parse cannot have hidden anything, such as a duplicate name. */
export function isBeyondDoubt(value: JsonValue, bytes: Uint8Array, text: string, maxDepth: number): boolean {
  let escapedQuotes = 0;
  let isAscii = text.length === bytes.length;
  if (text.includes('\\')) {
    // V8 up to 14.6 (nodejs/node#63785) misreads an escaped name after it has seen an object with a backslash in that
    // place, so never take an escaped name from JSON.parse.
    if (hasEscapedName(text)) return false;
    isAscii = false;
    escapedQuotes = countEscapedQuotes(text);
  }
  // INVARIANT: in valid JSON every name and every string value has exactly two unescaped quotes, and JSON.parse drops
  // each duplicate name. The counts agree exactly if no name appears twice.
  return 2 * countStrings(value, maxDepth, isAscii) === countQuotes(bytes) - escapedQuotes;
}

/** A backslash occurs only in strings, and always escapes the next character. */
function countEscapedQuotes(text: string): number {
  let quotes = 0;
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at + 2)) {
    if (text[at + 1] === '"') quotes += 1;
  }
  return quotes;
}

function hasEscapedName(text: string): boolean {
  let at = text.indexOf('\\');
  while (at !== -1) {
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    COLON_AFTER_QUOTE.lastIndex = at;
    if (COLON_AFTER_QUOTE.test(text)) return true;
    at = text.indexOf('\\', at);
  }
  return false;
}

/** The number of names and string values; NaN, which equals nothing, if the slow reader must decide. */
function countStrings(value: JsonValue, depthLeft: number, isAscii: boolean): number {
  if (typeof value === 'string') return isAscii || value.isWellFormed() ? 1 : Number.NaN;
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? 0 : Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  if (depthLeft === 0) return Number.NaN;
  let count = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) count += countStrings(value[i]!, depthLeft - 1, isAscii);
    return count;
  }
  // `for in` allocates no list of names, and values from JSON.parse inherit none.
  for (const name in value) {
    if (name === '__proto__') return Number.NaN;
    count += 1 + countStrings((value as JsonObject)[name]!, depthLeft - 1, isAscii);
  }
  return count;
}
