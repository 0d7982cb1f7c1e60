import { expect, test } from 'vitest';
import { findBrowser } from './find-browser.ts';

test('without a browser the tests fail with one sentence that says what to install', async () => {
  await expect(findBrowser(['/nowhere/chromium'], 'linux-arm64')).rejects.toThrow(
    /found no Chromium, and npm has none for linux-arm64: .*apt-get install chromium/,
  );
});

test('an installed browser is preferred to the one from npm', async () => {
  expect(await findBrowser([process.execPath], 'linux-x64')).toBe(process.execPath);
});
