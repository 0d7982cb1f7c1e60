import { afterEach, expect, test, vi } from 'vitest';

const SIGNED_IN = { secret: 'wck_own_1', workspace: { id: 'ws_1', name: 'Acme' } } as const;

/** A tab that is loaded anew; what it keeps stays. */
async function loaded() {
  vi.resetModules();
  return import('./session.ts');
}

function withStorage(): void {
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  });
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('a tab that was signed out for idleness says so until the next sign-in, also after a reload', async () => {
  withStorage();
  vi.useFakeTimers({ toFake: ['Date'] });
  const first = await loaded();
  first.signIn(SIGNED_IN as never);
  vi.setSystemTime(Date.now() + first.IDLE_AFTER_MS + 1);
  const left = await loaded();
  expect([left.session.get(), left.signedOut.get()]).toEqual([null, 'idle']);
  const reloaded = await loaded();
  expect(reloaded.signedOut.get()).toBe('idle');
  reloaded.signIn(SIGNED_IN as never);
  expect((await loaded()).signedOut.get()).toBeNull();
});
