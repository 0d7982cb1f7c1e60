/** A service and a browser for one test file. */
import { beforeAll } from 'vitest';
import {
  signIn,
  signInOf,
  startBrowser,
  startTestService,
  type TestBrowser,
  type TestService,
} from './harness.ts';

export let service: TestService;
export let browser: TestBrowser;

/** For the tests of the file that calls it. */
export function useOwnConsole(): void {
  beforeAll(async () => {
    [service, browser] = await Promise.all([startTestService(), startBrowser()]);
    return async () => {
      await browser.close();
      await service.stop();
    };
  });
}

/** By owner key: one tab signs in by hand, the others begin with what it kept. */
const signedIn = new Map<string, string>();

/** Opens a console page, signed in. */
export async function opened(path: string, at: TestService = service) {
  const kept = signedIn.get(at.ownerKey);
  const { page, complaints } = await browser.open(
    `${at.url}/#${kept === undefined ? '/sign-in' : path}`,
    kept,
  );
  if (kept === undefined) {
    await signIn(page, at, path);
    signedIn.set(at.ownerKey, await signInOf(page));
  } else await page.getByRole('button', { name: 'Sign out' }).waitFor();
  return { page, complaints };
}
