/** A service and a browser for one test file, and what its tests begin with. */
import { beforeAll, expect } from 'vitest';
import { ask, check } from '../../service/test/ask.ts';
import { invite, originOf } from '../../service/test/sign-in-kit.ts';
import {
  addAuthenticator,
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

/** Replaces the policies, also by looser ones. */
export async function applyPolicies(documents: readonly object[], key = service.ownerKey): Promise<void> {
  const put = { method: 'PUT', key, json: { documents, confirmLoosening: true } };
  const { status, text } = await ask(`${service.url}/v1/policies`, put);
  expect(status, text).toBe(200);
}

/** The open review of a write that pauses. */
export async function reviewOf(intent: object, key = service.developmentKey, members: object = {}) {
  const { decision_id } = (await check(service, intent, { key })).body;
  const json = { decision_id, ...members };
  const { status, body, text } = await ask(`${service.url}/v1/reviews`, { key, json });
  expect(status, text).toBe(201);
  return body.review;
}

/** The tab of somebody who was invited, and joins with a passkey. */
export async function joined(members: object = {}, ownerKey = service.ownerKey) {
  const { url } = await invite({ ...service, ownerKey }, members);
  const { page } = await browser.open(`${originOf(service)}/`);
  await addAuthenticator(page);
  await page.goto(url);
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  return { page, url };
}
