import { describe, expect, test } from 'vitest';
import { processorMs } from '../../../scripts/processor-ms.ts';
import { valuesEqual } from './compare-values.ts';
import { asciiLower } from './policy/match.ts';

test('without a comparator only identical code points are equal', () => {
  expect(valuesEqual('a', 'a', [])).toBe(true);
  expect(valuesEqual('', '', [])).toBe(true);
  expect(valuesEqual('a', 'A', [])).toBe(false);
  expect(valuesEqual('\u00e9', 'e\u0301', ['caseless', 'trimmed'])).toBe(false);
});

test('identical values are equal even if a comparator cannot parse them', () => {
  expect(valuesEqual('n/a', 'n/a', ['number', 'instant'])).toBe(true);
});

test('every comparator that is named must agree', () => {
  expect(valuesEqual('Net', 'NET', ['caseless'])).toBe(true);
  expect(valuesEqual('Net', 'NET', ['caseless', 'trimmed'])).toBe(false);
  expect(valuesEqual('Net', 'NET', ['trimmed', 'caseless'])).toBe(false);
});

describe('number', () => {
  test.each([
    ['1', '1.0'],
    ['001', '1'],
    ['-0', '0'],
    ['-0.00', '0.0'],
    ['0.10', '0.1'],
    ['-5.50', '-05.5'],
    ['10', '10.000'],
    [`1${'0'.repeat(400)}.5`, `01${'0'.repeat(400)}.50`],
  ])('%s is %s', (a, b) => {
    expect(valuesEqual(a, b, ['number'])).toBe(true);
  });

  test.each([
    ['1', '10'],
    ['0.1', '0.01'],
    ['100', '1'],
    ['-1', '1'],
    ['1.5', '15'],
    ['0.1', '1'],
    ['9007199254740993', '9007199254740992'],
    ['1e3', '1000'],
    ['+1', '1'],
    ['1.', '1'],
    ['.5', '0.5'],
    [' 1', '1'],
    ['1\n', '1'],
    ['x1', '1'],
    ['1,000', '1000'],
    ['\u0661', '1'],
    ['', '0'],
    ['abc', 'abd'],
    ['--1', '1'],
  ])('%s is not %s', (a, b) => {
    expect(valuesEqual(a, b, ['number'])).toBe(false);
    expect(valuesEqual(b, a, ['number'])).toBe(false);
  });

  test('long runs of zeros take linear time', () => {
    const zeros = '0'.repeat(16_000);
    const started = processorMs();
    expect(valuesEqual(`0.${zeros}1`, `${zeros}.${zeros}2`, ['number'])).toBe(false);
    expect(processorMs() - started).toBeLessThan(100);
  });
});

test('caseless folds the letters A to Z and nothing else', () => {
  expect(valuesEqual('ABCXYZ', 'abcxyz', ['caseless'])).toBe(true);
  expect(valuesEqual('@[', '`{', ['caseless'])).toBe(false);
  expect(valuesEqual('\u212a', 'k', ['caseless'])).toBe(false);
  expect(valuesEqual('\u0130', 'i', ['caseless'])).toBe(false);
  expect(asciiLower('ÄAB')).toBe('Äab');
});

test('trimmed drops the six ASCII white space characters at both ends and nothing inside', () => {
  for (const space of [' ', '\t', '\n', '\v', '\f', '\r']) {
    expect(valuesEqual(`${space}${space}a b${space}`, 'a b', ['trimmed'])).toBe(true);
  }
  for (const other of ['\b', '\u000e', '\u0085', '\u00a0', '\u2003', '\ufeff']) {
    expect(valuesEqual(`${other}a`, 'a', ['trimmed'])).toBe(false);
    expect(valuesEqual(`a${other}`, 'a', ['trimmed'])).toBe(false);
  }
  expect(valuesEqual('a  b', 'a b', ['trimmed'])).toBe(false);
  expect(valuesEqual('  ', '', ['trimmed'])).toBe(true);
});

describe('instant', () => {
  test.each([
    ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00'],
    ['2026-01-01T00:00:00.000Z', '2026-01-01t00:00:00z'],
    ['2026-01-01T00:00:00.5Z', '2026-01-01T00:00:00.5000Z'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.50Z'],
  ])('%s is %s', (a, b) => {
    expect(valuesEqual(a, b, ['instant'])).toBe(true);
  });

  test.each([
    ['2026-01-01T00:00:00.0001Z', '2026-01-01T00:00:00.0002Z'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'],
    ['2026-01-01T00:00:00', '2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00', '2026-01-01T00:00:00.0'],
    ['2026-02-30T00:00:00Z', '2026-03-02T00:00:00Z'],
    ['yesterday', 'gestern'],
  ])('%s is not %s', (a, b) => {
    expect(valuesEqual(a, b, ['instant'])).toBe(false);
  });
});
