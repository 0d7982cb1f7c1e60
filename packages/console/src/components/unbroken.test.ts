import { expect, test } from 'vitest';
import { unbrokenParts } from './unbroken.ts';

const whole = (text: string) =>
  unbrokenParts(text)
    .filter(({ isWhole }) => isWhole)
    .map((part) => part.text);

test('short references stay whole, and the text stays the same', () => {
  expect(whole('Freeze writes by refund-bot …')).toEqual(['refund-bot']);
  expect(whole('vendor V-602 of INV-V-601')).toEqual(['V-602', 'INV-V-601']);
  expect(whole('run-2026-11-17-vendor-import - or -')).toEqual([]);
  for (const text of ['', '-', ' V-1  x ', 'a-b c-d', 'Last allowed'])
    expect(
      unbrokenParts(text)
        .map((part) => part.text)
        .join(''),
    ).toBe(text);
});
