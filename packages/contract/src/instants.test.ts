import { describe, expect, test } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { parseInstant } from './instants.ts';

describe('an RFC 3339 date-time is read', () => {
  test.each([
    ['1970-01-01T00:00:00Z', 0, true, ''],
    ['1970-01-01t00:00:00z', 0, true, ''],
    ['1970-01-01T00:00:00', 0, false, ''],
    ['1970-01-01T00:00:00.5', 500, false, '5'],
    ['1970-01-01T00:00:00.500Z', 500, true, '5'],
    ['1970-01-01T00:00:00.0Z', 0, true, ''],
    ['1970-01-01T00:00:00.05+00:00', 50, true, '05'],
    ['1970-01-01T00:00:00.1239999Z', 123, true, '1239999'],
    ['1970-01-01T00:00:00.0001Z', 0, true, '0001'],
    ['1969-12-31T23:59:59.9999Z', -1, true, '9999'],
    ['1970-01-01T01:30:00+01:30', 0, true, ''],
    ['1969-12-31T22:30:00-01:30', 0, true, ''],
    ['1970-01-01T00:00:00-00:00', 0, true, ''],
    ['1970-01-02T23:59:00+23:59', 86_400_000, true, ''],
    ['2024-02-29T12:00:00Z', Date.UTC(2024, 1, 29, 12), true, ''],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29), true, ''],
    ['2026-12-31T23:59:59Z', Date.UTC(2026, 11, 31, 23, 59, 59), true, ''],
    ['2026-01-31T00:00:00Z', Date.UTC(2026, 0, 31), true, ''],
    ['0000-02-29T00:00:00Z', -62162121600000, true, ''],
    ['0001-01-01T00:00:00Z', -62135596800000, true, ''],
    ['9999-12-31T23:59:59.999Z', 253402300799999, true, '999'],
    ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1), true, ''],
    ['2016-12-31T23:59:60.5Z', Date.UTC(2017, 0, 1) + 500, true, '5'],
    ['2017-01-01T00:59:60+01:00', Date.UTC(2017, 0, 1), true, ''],
    ['1960-12-31T23:59:60', Date.UTC(1961, 0, 1), false, ''],
  ])('%s', (text, ms, hasOffset, fraction) => {
    expect(parseInstant(text)).toEqual({ ms, hasOffset, fraction });
  });

  test('as Date does, if both accept it', () => {
    const dates = fc.date({
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(dates, fc.integer({ min: -1439, max: 1439 }), (date, offset) => {
        const text = date.toISOString();
        expect(parseInstant(text)?.ms).toBe(date.getTime());
        const two = (value: number) => String(Math.trunc(Math.abs(value))).padStart(2, '0');
        const shifted = `${text.slice(0, -1)}${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`;
        expect(parseInstant(shifted)?.ms).toBe(date.getTime() - offset * 60_000);
      }),
      { numRuns: 2_000 },
    );
  });

  test('every day of 400 years exists exactly as in the calendar', () => {
    const wrong: string[] = [];
    for (let year = 1900; year < 2300; year += 1) {
      for (let month = 1; month <= 12; month += 1) {
        for (const day of [0, 1, 28, 29, 30, 31, 32]) {
          const date = new Date(Date.UTC(year, month - 1, day));
          const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
          const two = (value: number) => String(value).padStart(2, '0');
          const text = `${year}-${two(month)}-${two(day)}T00:00:00Z`;
          if ((parseInstant(text)?.ms ?? null) !== (exists ? date.getTime() : null)) wrong.push(text);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('anything else is rejected', () => {
  test.each([
    '',
    '2026-01-01',
    '2026-01-01T00:00Z',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00 Z',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z ',
    '2026-01-01T00:00:00Z\n',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00,5Z',
    '2026-01-01T00:00:00+0100',
    '2026-01-01T00:00:00+01',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+23:60',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T00:00:61Z',
    '2026-01-01T00:00:60Z',
    '2016-12-31T23:58:60Z',
    '2016-12-31T23:59:60+01:00',
    '2026-00-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '26-01-01T00:00:00Z',
    '+2026-01-01T00:00:00Z',
    '20260101T000000Z',
    '２026-01-01T00:00:00Z',
    '2026-01-01T00:00:00+010:00',
    '2026-01-01T00:00:00+01:000',
    '2026-01-01T00:00:00Z00:00',
    '2026-01-01T00:00:00+1:000',
  ])('%j', (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  test('one wrong character anywhere is enough', () => {
    const text = '2026-11-15T10:20:30.123+01:30';
    const accepted: string[] = [];
    for (let at = 0; at < text.length; at += 1) {
      // Characters next to the digits, and far from them.
      for (const wrong of ['/', ';', 'x', ' ', '\0']) {
        const changed = text.slice(0, at) + wrong + text.slice(at + 1);
        if (parseInstant(changed) !== null) accepted.push(changed);
      }
    }
    expect(accepted).toEqual([]);
  });
});
