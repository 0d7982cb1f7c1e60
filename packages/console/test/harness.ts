/** For browser tests: the real service on an empty database, the built console, and a real Chromium. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { startTestService, type TestService } from '../../service/test/start-service.ts';
import { buildConsole } from '../console-build.ts';
import { findBrowser } from './find-browser.ts';

export type { Page, TestService };
export { startTestService };

const SCREENSHOTS = join(import.meta.dirname, '../screenshots');
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // One process for all tabs, one for all else: a tab then finds what an earlier one compiled.
  '--renderer-process-limit=1',
  '--in-process-gpu',
  '--enable-features=NetworkServiceInProcess2',
];
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

export interface TestBrowser {
  /** Opens a fresh tab. `complaints` collects its errors and refused resources; `signedIn` is from `signInOf`. */
  open(url: string, signedIn?: string): Promise<{ readonly page: Page; readonly complaints: string[] }>;
  close(): Promise<void>;
}

/** Tests of other packages skip the console build and may add flags. */
export async function startBrowser(
  options: { readonly withConsole?: boolean; readonly flags?: readonly string[] } = {},
): Promise<TestBrowser> {
  if (options.withConsole !== false) await oneAtATime('writecheck-console-build', buildConsole);
  const executablePath = await oneAtATime('writecheck-chromium', () => findBrowser());
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-browser-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath,
    args: [...FLAGS, ...(options.flags ?? [])],
    viewport: DESKTOP,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  return {
    open: (url, signedIn) => open(context, url, signedIn),
    async close() {
      await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function open(context: BrowserContext, url: string, signedIn?: string) {
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // Chromium logs every error response; tests of errors cause those on purpose.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  if (signedIn !== undefined) {
    // Once for the tab: who signs out in it stays signed out. By the clock of the page, which may be another one.
    await page.addInitScript(
      ([name, text]) => {
        if (window.name !== 'began')
          sessionStorage.setItem(name, JSON.stringify({ ...JSON.parse(text), activeAtMs: Date.now() }));
        window.name = 'began';
      },
      [SESSION, signedIn] as const,
    );
  }
  endWithTest(page, complaints);
  await page.goto(url);
  return { page, complaints };
}

/**
 * Closes it after its test, which fails if the page had errors or refused resources. Prints what it showed if the test
 * failed: a failure on a busy machine may not come a second time.
 */
function endWithTest(page: Page, complaints: readonly string[]): void {
  const answered: string[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/v1/'))
      answered.push(`${response.status()} ${response.request().method()} ${response.url()}`);
  });
  // Throws for a page that a hook opened for all tests.
  try {
    onTestFinished(async ({ task }) => {
      if (task.result?.state === 'fail' && !page.isClosed()) {
        const shown = await page.evaluate(() => `${document.visibilityState}\n${document.body.innerText}`);
        console.log(`${page.url()}\n${answered.slice(-12).join('\n')}\n${shown}`);
      }
      await page.close();
      expect(complaints, page.url()).toEqual([]);
    });
  } catch {}
}

const SESSION = 'writecheck.session';

/** What the tab of a page keeps of its sign-in. */
export async function signInOf(page: Page): Promise<string> {
  const text = await page.evaluate((name) => sessionStorage.getItem(name), SESSION);
  if (text === null) throw new Error('nobody is signed in');
  return text;
}

/** Signs in with the service's owner key and opens a page. */
export async function signIn(page: Page, service: TestService, path = '/playground'): Promise<void> {
  await page.goto(`${service.url}/#${path === '/' ? '/sign-in' : path}`);
  await page.getByLabel('Owner key').fill(service.ownerKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  if (path === '/') await page.goto(`${service.url}/#/`);
}

/** The text of the file that a button saves. */
export async function saved(page: Page, name: string): Promise<string> {
  const file = page.waitForEvent('download');
  await page.getByRole('button', { name, exact: true }).click();
  return readFileSync((await (await file).path())!, 'utf8');
}

/** A device with a fingerprint reader, whose owner is always there. */
export async function addAuthenticator(page: Page): Promise<void> {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('WebAuthn.enable');
  await protocol.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Colours are the same at both sizes, and layout in both themes: axe looks at each once, and so does `npm test`. */
const LOOKS = [
  { theme: 'light', size: 'wide', viewport: DESKTOP, isFirst: true },
  { theme: 'light', size: 'phone', viewport: PHONE, isFirst: false },
  { theme: 'dark', size: 'phone', viewport: PHONE, isFirst: true },
  { theme: 'dark', size: 'wide', viewport: DESKTOP, isFirst: false },
] as const;

/**
 * In both themes, wide and at 360 px: runs axe, and checks that nothing overflows. `WRITECHECK_SCREENSHOTS=1` adds pictures.
 * `npm test` leaves out a variation of a page that another call examines.
 */
export async function examine(page: Page, name: string, kind?: 'variation'): Promise<void> {
  const isQuick = process.env.npm_lifecycle_event === 'test';
  if (kind === 'variation' && isQuick) return;
  for (const { theme, size, viewport, isFirst } of LOOKS) {
    if (isQuick && !isFirst) continue;
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize(viewport);
    if (process.env.WRITECHECK_SCREENSHOTS === '1')
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${theme}-${size}.png`), fullPage: true });
    const sticksOut = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(sticksOut, `${name} at ${viewport.width} px overflows`).toBe(0);
    if (!isFirst) continue;
    // Legacy mode opens no extra page; the console has no frames. The first run leaves axe in the page.
    const axe = new AxeBuilder(theme === 'light' ? { page } : { page, axeSource: ';' })
      .setLegacyMode(true)
      .options({ resultTypes: ['violations'] });
    const { violations } = await axe.analyze();
    const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
    expect(told, `axe on ${name}, ${theme}, ${size}`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize(DESKTOP);
}

const WAIT_MS = 50;
/** Longer than any holder needs; an older lock belongs to a killed process. */
const LEFT_BEHIND_AFTER_MS = 300_000;

/** A lock between test processes, so that none sees a half-finished build or browser. */
async function oneAtATime<T>(name: string, act: () => Promise<T>): Promise<T> {
  const lock = join(tmpdir(), `${name}.lock`);
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - since > LEFT_BEHIND_AFTER_MS) rmSync(lock, { recursive: true, force: true });
      else await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }
  try {
    return await act();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}
