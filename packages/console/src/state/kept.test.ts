import { expect, test, vi } from 'vitest';
import { keptForever } from './kept.ts';

test('if the browser blocks storage, a text lasts until the page closes, and nothing throws', () => {
  vi.stubGlobal('localStorage', {
    getItem: () => {
      throw new DOMException('denied', 'SecurityError');
    },
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError');
    },
    removeItem: () => {
      throw new DOMException('denied', 'SecurityError');
    },
  });
  expect(keptForever.get('a')).toBe(null);
  expect(keptForever.set('a', 'yes')).toBe('unsaved');
  expect(keptForever.get('a')).toBe('yes');
  keptForever.set('a', null);
  expect(keptForever.get('a')).toBe(null);
  vi.unstubAllGlobals();
});

test('a text that could not be removed is gone all the same, and a later one is kept', () => {
  const stored = new Map([['b', 'old']]);
  let isBlocked = true;
  const guarded = (act: () => unknown) => {
    if (isBlocked) throw new DOMException('denied', 'SecurityError');
    return act();
  };
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => guarded(() => stored.set(name, text)),
    removeItem: (name: string) => guarded(() => stored.delete(name)),
  });
  expect(keptForever.get('b')).toBe('old');
  keptForever.set('b', null);
  expect(keptForever.get('b')).toBe(null);
  isBlocked = false;
  expect(keptForever.set('b', 'new')).toBe('kept');
  expect([keptForever.get('b'), stored.get('b')]).toEqual(['new', 'new']);
  vi.unstubAllGlobals();
});
