import { describe, expect, test } from 'vitest';
import { describeNeed, quote } from './explain.ts';
import type { Control } from './policy/snapshot.ts';

describe('a quoted value', () => {
  test('shows plain text as it is, spaces included', () => {
    expect(quote('NET 30')).toBe('`NET 30`');
    expect(quote('Straße 金額 𝔘')).toBe('`Straße 金額 𝔘`');
  });

  test('writes out what would not be seen, or would end the quote', () => {
    expect(quote('a\u200bb')).toBe('`a\\u{200b}b`');
    expect(quote('\u202eexe')).toBe('`\\u{202e}exe`');
    expect(quote('a\nb')).toBe('`a\\u{a}b`');
    expect(quote('a\u00a0b')).toBe('`a\\u{a0}b`');
    expect(quote('a`b')).toBe('`a\\u{60}b`');
    expect(quote('e\u0301')).toBe('`e\\u{301}`');
    expect(quote('a\u115fb')).toBe('`a\\u{115f}b`');
  });

  test('is shortened after 64 code points, never inside one', () => {
    expect(quote('x'.repeat(64))).toBe(`\`${'x'.repeat(64)}\``);
    expect(quote('x'.repeat(65))).toBe(`\`${'x'.repeat(64)}…\``);
    expect(quote('𝔘'.repeat(64))).toBe(`\`${'𝔘'.repeat(64)}\``);
    expect(quote('𝔘'.repeat(65))).toBe(`\`${'𝔘'.repeat(64)}…\``);
    expect(quote(`${'𝔘'.repeat(64)}x`)).toBe(`\`${'𝔘'.repeat(64)}…\``);
  });
});

describe('a need', () => {
  const control: Control = {
    id: 'approval',
    maxAgeMs: null,
    sources: null,
    assurance: 'asserted',
    useOnce: false,
    bindObject: false,
    onUnmet: 'pause',
    onFailed: 'block',
  };
  test.each([
    [1_000, '1 second'],
    [90_000, '90 seconds'],
    [60_000, '1 minute'],
    [3_600_000, '1 hour'],
    [5_400_000, '90 minutes'],
    [7_200_000, '2 hours'],
    [86_400_000, '1 day'],
    [172_800_000, '2 days'],
  ])('of %d ms says %s', (maxAgeMs, words) => {
    expect(describeNeed({ ...control, maxAgeMs })).toBe(`a PASS checked within the last ${words}`);
  });

  test('names the assurance and the sources', () => {
    expect(describeNeed(control)).toBe('a PASS');
    expect(describeNeed({ ...control, sources: ['okta'] })).toBe('a PASS from `okta`');
    expect(describeNeed({ ...control, assurance: 'attested', sources: ['okta', 'entra'] })).toBe(
      'an attested PASS from one of `okta`, `entra`',
    );
    expect(describeNeed(control, true)).toBe('an attested PASS');
  });
});
