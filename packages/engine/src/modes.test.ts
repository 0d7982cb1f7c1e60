import { describe, expect, test } from 'vitest';
import { modeAt, stricterMode } from './modes.ts';

describe('an observation', () => {
  const until = (observeUntilMs: number | null) => ({ writePolicy: 'observe', observeUntilMs }) as const;

  test('lasts until its end and enforces from that very moment on', () => {
    expect(modeAt(until(1_000), 999)).toBe('observe');
    expect(modeAt(until(1_000), 1_000)).toBe('enforce');
    expect(modeAt(until(1_000), 1_001)).toBe('enforce');
  });

  test('without an end lasts', () => {
    expect(modeAt(until(null), Number.MAX_SAFE_INTEGER)).toBe('observe');
  });
});

test('a mode that does not observe is unchanged, whatever end it has', () => {
  for (const writePolicy of ['enforce', 'block_on_mismatch'] as const) {
    expect(modeAt({ writePolicy, observeUntilMs: 1_000 }, 0)).toBe(writePolicy);
    expect(modeAt({ writePolicy, observeUntilMs: 1_000 }, 2_000)).toBe(writePolicy);
    expect(modeAt({ writePolicy, observeUntilMs: null }, 0)).toBe(writePolicy);
  }
});

test('the stricter of two modes does not depend on which comes first', () => {
  expect(stricterMode('observe', 'enforce')).toBe('enforce');
  expect(stricterMode('enforce', 'observe')).toBe('enforce');
  expect(stricterMode('enforce', 'block_on_mismatch')).toBe('block_on_mismatch');
  expect(stricterMode('block_on_mismatch', 'enforce')).toBe('block_on_mismatch');
  expect(stricterMode('observe', 'observe')).toBe('observe');
});
