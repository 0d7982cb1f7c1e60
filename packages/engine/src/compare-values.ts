/**
 * Decides whether two values count as equal: by code points, or if every comparator of the applying profiles agrees.
 */
import { parseInstant, withoutLeadingZeros, withoutTrailingZeros } from '@writecheck/contract';
import type { Comparator } from './policy/documents.ts';
import { asciiLower } from './policy/match.ts';

export function valuesEqual(a: string, b: string, comparators: readonly Comparator[]): boolean {
  if (a === b) return true;
  return comparators.length > 0 && comparators.every((comparator) => equalBy(comparator, a, b));
}

function equalBy(comparator: Comparator, a: string, b: string): boolean {
  switch (comparator) {
    case 'number':
      return sameOrNull(decimalKey(a), decimalKey(b));
    case 'caseless':
      return asciiLower(a) === asciiLower(b);
    case 'trimmed':
      return asciiTrim(a) === asciiTrim(b);
    case 'instant':
      return sameOrNull(instantKey(a), instantKey(b));
  }
}

/** INVARIANT: a value that cannot be parsed never equals anything, not even another value that cannot be parsed. */
function sameOrNull(a: string | null, b: string | null): boolean {
  return a !== null && a === b;
}

/** A decimal string in one spelling: no leading or trailing zeros, no negative zero. */
function decimalKey(text: string): string | null {
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(text);
  if (match === null) return null;
  const whole = withoutLeadingZeros(match[2]!);
  const fraction = withoutTrailingZeros(match[3] ?? '');
  if (whole === '0' && fraction === '') return '0';
  return `${match[1]}${whole}.${fraction}`;
}

/**
 * The moment with its whole fraction, so that no digit beyond the milliseconds is lost. Without an offset it is not an
 * instant.
 */
function instantKey(text: string): string | null {
  const instant = parseInstant(text);
  if (instant === null || !instant.hasOffset) return null;
  return `${instant.ms}.${instant.fraction}`;
}

function asciiTrim(text: string): string {
  let start = 0;
  let end = text.length;
  // The loops stop at both ends of the text, where there is no code.
  while (isAsciiSpace(text.charCodeAt(start))) start += 1;
  while (isAsciiSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Space, tab, line feed, vertical tab, form feed, carriage return. */
function isAsciiSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}
