import { expect, test } from 'vitest';
import { tileName } from './tile-name.ts';

test('files are named as C2SP tlog-tiles names them', () => {
  const nameOf = (index: number) => tileName('entries', { log: 'log-1', index });
  expect(nameOf(0)).toBe('log-1/tile/entries/000');
  expect(nameOf(999)).toBe('log-1/tile/entries/999');
  expect(nameOf(1_000)).toBe('log-1/tile/entries/x001/000');
  expect(nameOf(1_234_067)).toBe('log-1/tile/entries/x001/x234/067');
  expect(tileName('0', { log: 'log-1', index: 5 })).toBe('log-1/tile/0/005');
});
