/** Times, durations and texts as conditions use them: exact, and null if CEL would report an error. */
import { parseInstant } from '@writecheck/contract';

const NANOS_PER_MS = 1_000_000n;
/** Years 1 to 9999. */
const EARLIEST_NANOS = -62_135_596_800_000_000_000n;
const LATEST_NANOS = 253_402_300_799_999_999_999n;
/** Longer text is neither a time nor a duration, so it is not parsed. */
const TIME_TEXT_CHARACTERS_MAX = 128;

/** Nanoseconds since 1970; digits beyond the ninth are dropped. */
export function timestampFromText(text: string): bigint | null {
  if (text.length > TIME_TEXT_CHARACTERS_MAX) return null;
  const instant = parseInstant(text);
  if (instant === null || !instant.hasOffset) return null;
  const belowMs = BigInt(instant.fraction.slice(3, 9).padEnd(6, '0'));
  return timestampInRange(BigInt(instant.ms) * NANOS_PER_MS + belowMs);
}

export function timestampFromMs(ms: number): bigint {
  return BigInt(ms) * NANOS_PER_MS;
}

export function timestampInRange(nanos: bigint): bigint | null {
  return nanos < EARLIEST_NANOS || nanos > LATEST_NANOS ? null : nanos;
}

/** Integers and durations are both 64 bits wide. */
export function intInRange(value: bigint): bigint | null {
  return BigInt.asIntN(64, value) === value ? value : null;
}

const UNIT_NANOS: ReadonlyMap<string, bigint> = new Map([
  ['h', 3_600_000_000_000n],
  ['m', 60_000_000_000n],
  ['s', 1_000_000_000n],
  ['ms', 1_000_000n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['ns', 1n],
]);
const WHOLE_DURATION = /^[+-]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:h|ms|m|s|us|µs|ns))+)$/;
const DURATION_PART = /([0-9]*)(?:\.([0-9]*))?(h|ms|m|s|us|µs|ns)/gy;

/** Nanoseconds of texts such as `1h30m` or `-1.5s`. */
export function durationFromText(text: string): bigint | null {
  if (text.length > TIME_TEXT_CHARACTERS_MAX || !WHOLE_DURATION.test(text)) return null;
  let nanos = 0n;
  for (const [, whole, fraction = '', unit] of text.replace(/^[+-]/, '').matchAll(DURATION_PART)) {
    const unitNanos = UNIT_NANOS.get(unit!)!;
    nanos += BigInt(whole!) * unitNanos + (BigInt(fraction) * unitNanos) / 10n ** BigInt(fraction.length);
  }
  return intInRange(text.startsWith('-') ? -nanos : nanos);
}

/** Uses the engine's own search, which returns immediately for most texts. */
const HAS_SURROGATES = /[\ud800-\udfff]/;

export function countCodePoints(text: string): number {
  if (!HAS_SURROGATES.test(text)) return text.length;
  let count = text.length;
  for (let index = 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0xdc00 && code <= 0xdfff) count -= 1;
  }
  return count;
}

/** Compares code points, as CEL does; by code units, an emoji would come before a private-use character. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  if (!HAS_SURROGATES.test(a) && !HAS_SURROGATES.test(b)) return a < b ? -1 : 1;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    const leftIsSurrogate = left >= 0xd800 && left <= 0xdfff;
    const rightIsSurrogate = right >= 0xd800 && right <= 0xdfff;
    if (leftIsSurrogate !== rightIsSurrogate) return leftIsSurrogate ? 1 : -1;
    return left - right;
  }
  return a.length - b.length;
}
