import { describe, expect, test } from 'vitest';
import { seeded } from '../../test/documents.ts';
import { medianCostMs } from '../../test/thread-time.ts';
import { asciiLower, compilePattern, linearFinder, specificityOf } from './match.ts';

function matches(pattern: string | readonly string[], text: string) {
  return compilePattern(pattern)(asciiLower(text));
}

describe('a pattern', () => {
  test.each<[string | readonly string[], string, boolean]>([
    ['erp', 'erp', true],
    ['erp', 'ERP', true],
    ['ERP', 'erp', true],
    ['erp', 'erp2', false],
    ['erp', 'er', false],
    ['e.p', 'erp', false],
    ['[a-z]', 'a', false],
    ['*', '', true],
    ['*', 'anything', true],
    ['**', 'anything', true],
    ['vendor.*', 'vendor.update', true],
    ['vendor.*', 'Vendor.', true],
    ['vendor.*', 'vendor', false],
    ['*.update', 'vendor.update', true],
    ['*.update', 'vendor.updated', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['ab*ba', 'aba', false],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'a--b--c', true],
    ['a*b*c', 'acb', false],
    ['a*b*b', 'ab', false],
    ['a*bc*c', 'abc', false],
    ['a*bc*c', 'abcc', true],
    ['*aab*', 'aaab', true],
    ['*abab*ab', 'ababab', true],
    ['*abab*abab', 'ababab', false],
    ['*x*y*', '--x--y--', true],
    ['*x*y*', '--y--x--', false],
    [['a', 'b'], 'B', true],
    [['a', 'b'], 'c', false],
    [['a', 'b*'], 'bcd', true],
    [['a', 'b*'], 'A', true],
    [['a', 'b*'], 'cb', false],
    [['A*', 'b*'], 'b1', true],
    ['É', 'é', false],
    ['k', '\u212a', false],
    ['😀*', '😀x', true],
  ])('%j against %j: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  test('only lowers A to Z', () => {
    expect(asciiLower('AZ@[az')).toBe('az@[az');
    expect(asciiLower('plain')).toBe('plain');
    expect(['A', 'Z'].map(asciiLower)).toEqual(['a', 'z']);
    expect(asciiLower('\u212aİÉ')).toBe('\u212aİÉ');
    expect(asciiLower('xÉY')).toBe('xÉy');
  });

  test('as a glob agrees with a naive matcher', () => {
    const naive = (pattern: string, text: string): boolean => {
      if (pattern === '') return text === '';
      if (pattern[0] !== '*') return pattern[0] === text[0] && naive(pattern.slice(1), text.slice(1));
      for (let cut = 0; cut <= text.length; cut += 1)
        if (naive(pattern.slice(1), text.slice(cut))) return true;
      return false;
    };
    const random = seeded(3);
    let hits = 0;
    for (let round = 0; round < 40_000; round += 1) {
      const pattern = Array.from({ length: 1 + random.below(8) }, () => random.pick(['a', 'b', '*'])).join(
        '',
      );
      const text = Array.from({ length: random.below(9) }, () => random.pick(['a', 'b'])).join('');
      const expected = naive(pattern, text);
      hits += expected ? 1 : 0;
      expect(matches(pattern, text), `${pattern} ${text}`).toBe(expected);
    }
    expect(hits).toBeGreaterThan(5_000);
  });

  test('takes linear time on text built to be slow', () => {
    const needle = `*${'a'.repeat(120)}b*${'a'.repeat(120)}b*`;
    const glob = compilePattern(needle);
    const text = 'a'.repeat(512);
    const cost = medianCostMs(() => {
      for (let round = 0; round < 1_000; round += 1) glob(text);
    }, 3);
    expect(glob(text)).toBe(false);
    expect(cost / 1_000).toBeLessThan(0.05);
  });
});

test('the finder finds what the built-in search finds, from any place', () => {
  const random = seeded(5);
  for (let round = 0; round < 20_000; round += 1) {
    const needle = Array.from({ length: random.below(6) }, () => random.pick(['a', 'b'])).join('');
    const text = Array.from({ length: random.below(20) }, () => random.pick(['a', 'b'])).join('');
    const from = random.below(text.length + 1);
    expect(linearFinder(needle)(text, from), `${needle} in ${text} from ${from}`).toBe(
      text.indexOf(needle, from),
    );
  }
});

test('the finder finds long needles too', () => {
  const random = seeded(6);
  for (let round = 0; round < 300; round += 1) {
    const base = Array.from({ length: 1 + random.below(5) }, () => random.pick(['a', 'b']))
      .join('')
      .repeat(300);
    const needle = base.slice(0, 245 + random.below(12));
    const text =
      base.slice(0, random.below(240)) + random.pick(['', 'a', 'b']) + base + random.pick(['', 'ab']);
    const from = random.below(3);
    expect(linearFinder(needle)(text, from)).toBe(text.indexOf(needle, from));
    expect(linearFinder(`${needle}c`)(text, from)).toBe(-1);
  }
});

test('the finder takes linear time on needles built to be slow', () => {
  const text = 'a'.repeat(16_384);
  const cost = medianCostMs(() => {
    expect(linearFinder(`${'a'.repeat(4_000)}b${'a'.repeat(4_000)}`)(text, 0)).toBe(-1);
    expect(linearFinder(`${'a'.repeat(8_000)}b`)(text, 0)).toBe(-1);
  }, 3);
  // The built-in search takes some 30 ms for the first of them.
  expect(cost).toBeLessThan(10);
});

test('specificity: most members, then exact before list before glob', () => {
  const ordered = [
    {},
    { system: 'e*' },
    { system: ['e'] },
    { system: 'e' },
    { system: '*', field: '*' },
    { system: '*', field: ['f'] },
    { system: ['e'], field: ['f'] },
    { system: 'e', field: '*' },
    { system: 'e', field: ['f'] },
    { system: 'e', field: 'f' },
    { system: '*', field: '*', objectType: '*' },
    { system: 's', field: 'f', objectType: 'o' },
    { system: '*', field: '*', objectType: '*', operation: '*' },
    { system: 's', field: 'f', objectType: 'o', operation: 'p' },
  ];
  const specificities = ordered.map(specificityOf);
  expect(specificities).toEqual([...specificities].sort((a, b) => a - b));
  expect(new Set(specificities).size).toBe(ordered.length);
});
