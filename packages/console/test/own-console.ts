/** A service and a browser for one test file; vitest gives each file its own. */
import { beforeAll } from 'vitest';
import { signIn, startBrowser, startTestService, type TestBrowser, type TestService } from './harness.ts';

export let service: TestService;
export let browser: TestBrowser;

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), startBrowser()]);
  return async () => {
    await browser.close();
    await service.stop();
  };
}, 60_000);

/** Opens a console page, signed in. */
export async function opened(path: string, at: TestService = service) {
  const { page, complaints } = await browser.open(`${at.url}/#/sign-in`);
  await signIn(page, at, path);
  return { page, complaints };
}
