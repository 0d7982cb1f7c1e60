import { describe, expect, test } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { knownNameMeantBy, knownNames } from './member-spelling.ts';

const KNOWN = knownNames(['source', 'metadata', 'requiredControls']);

describe('a spelling of a known name', () => {
  test.each([
    ['Source', 'source'],
    ['SOURCE', 'source'],
    ['_s-o_u-r_c-e_', 'source'],
    ['meta-data', 'metadata'],
    ['metadatas', 'metadata'],
    ['xmetadata', 'metadata'],
    ['metaxdata', 'metadata'],
    ['etadata', 'metadata'],
    ['metaata', 'metadata'],
    ['metadat', 'metadata'],
    ['netadata', 'metadata'],
    ['metaData1', 'metadata'],
    ['metadatx', 'metadata'],
    ['emtadata', 'metadata'],
    ['metadaat', 'metadata'],
    ['metdaata', 'metadata'],
    ['required_control', 'requiredControls'],
    ['Required-Contorls', 'requiredControls'],
  ])('%s means %s', (name, known) => {
    expect(knownNameMeantBy(name, KNOWN)).toBe(known);
  });

  test.each([
    '',
    'sources',
    'sourc',
    'tource',
    'osurce',
    'metadatasx',
    'metada',
    'mxtxdata',
    'emtadatas',
    'emtadaat',
    'atemdata',
    'mdtaeata',
    'constructor',
    '__proto__',
    'requiredControlXY',
    'x'.repeat(100_000),
  ])('%s means no known name', (name) => {
    expect(knownNameMeantBy(name, KNOWN)).toBeNull();
  });

  test('agrees with the textbook edit distance', () => {
    /** Optimal string alignment. */
    const distance = (a: string, b: string): number => {
      const rows = Array.from({ length: a.length + 1 }, (_, i) =>
        Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
      );
      for (let i = 1; i <= a.length; i += 1) {
        for (let j = 1; j <= b.length; j += 1) {
          const change = a[i - 1] === b[j - 1] ? 0 : 1;
          let best = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + change);
          if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
            best = Math.min(best, rows[i - 2]![j - 2]! + 1);
          rows[i]![j] = best;
        }
      }
      return rows[a.length]![b.length]!;
    };
    const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 7, maxLength: 11 });
    let near = 0;
    fc.assert(
      fc.property(
        words,
        fc.array(fc.tuple(fc.nat(), fc.constantFrom('', 'a', 'ab', 'ba', 'c')), { maxLength: 2 }),
        (known, edits) => {
          let name = known;
          for (const [at, text] of edits) {
            const place = at % (name.length + 1);
            name = name.slice(0, place) + text + name.slice(place + 1);
          }
          const steps = distance(name, known);
          if (steps === 1) near += 1;
          const isMeant = steps === 0 || (known.length >= 8 && steps === 1);
          expect(knownNameMeantBy(name, knownNames([known]))).toBe(isMeant ? known : null);
        },
      ),
      { numRuns: 5_000 },
    );
    expect(near).toBeGreaterThan(500);
  });
});
