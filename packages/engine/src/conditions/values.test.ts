import { describe, expect, test } from 'vitest';
import { compareTexts, countCodePoints, durationFromText, timestampFromText } from './values.ts';

/** Around the surrogates on both sides, and pairs of the first and the last of them. */
const CHARACTERS = ['a', 'b', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10001}', '\u{10ffff}', '😀'];
const texts = ['', ...CHARACTERS, ...CHARACTERS.flatMap((a) => CHARACTERS.map((b) => a + b))];

function naiveCompare(a: string, b: string): number {
  const [left, right] = [[...a], [...b]].map((points) => points.map((point) => point.codePointAt(0)!));
  for (let at = 0; at < Math.min(left!.length, right!.length); at += 1) {
    if (left![at] !== right![at]) return left![at]! - right![at]!;
  }
  return left!.length - right!.length;
}

test('texts are ordered by their code points', () => {
  const wrong: string[] = [];
  for (const a of texts) {
    for (const b of texts) {
      if (Math.sign(compareTexts(a, b)) !== Math.sign(naiveCompare(a, b))) wrong.push(JSON.stringify([a, b]));
    }
  }
  expect(wrong).toEqual([]);
});

test('the size of a text is its number of code points', () => {
  for (const text of texts) expect(countCodePoints(text)).toBe([...text].length);
});

describe('a duration', () => {
  test.each([
    ['0', 0n],
    ['-0', 0n],
    ['1h30m', 5_400_000_000_000n],
    ['-1.5s', -1_500_000_000n],
    ['+2s', 2_000_000_000n],
    ['1s-', null],
    ['.5ms', 500_000n],
    ['1.ms', 1_000_000n],
    ['3us', 3_000n],
    ['3µs', 3_000n],
    ['7ns', 7n],
    ['1.9ns', 1n],
    ['1', null],
    ['', null],
    ['s', null],
    ['1d', null],
    ['9223372036854775807ns', 9_223_372_036_854_775_807n],
    ['9223372036854775808ns', null],
    ['-9223372036854775808ns', -9_223_372_036_854_775_808n],
    [`${'0'.repeat(126)}1s`, 1_000_000_000n],
    [`${'0'.repeat(127)}1s`, null],
  ])('%s', (text, nanos) => {
    expect(durationFromText(text)).toBe(nanos);
  });
});

describe('a timestamp', () => {
  test.each([
    ['1970-01-01T00:00:00Z', 0n],
    ['1970-01-01T00:00:00.000000001Z', 1n],
    ['1970-01-01T00:00:00.0000000019Z', 1n],
    ['1970-01-01T00:00:00.12Z', 120_000_000n],
    ['1970-01-01T00:00:00', null],
    ['0000-12-31T23:59:59Z', null],
    ['0001-01-01T00:00:00Z', -62_135_596_800_000_000_000n],
    ['9999-12-31T23:59:59.999999999Z', 253_402_300_799_999_999_999n],
    ['9999-12-31T23:59:59-01:00', null],
    [`1970-01-01T00:00:00.${'0'.repeat(107)}Z`, 0n],
    [`1970-01-01T00:00:00.${'0'.repeat(108)}Z`, null],
  ])('%s', (text, nanos) => {
    expect(timestampFromText(text)).toBe(nanos);
  });
});
