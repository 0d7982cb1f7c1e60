import { expect, test } from 'vitest';
import { findBrowser, whyItFails } from './find-browser.ts';

test('without a browser the tests fail with one sentence that says what to install', async () => {
  await expect(findBrowser(['/nowhere/chromium'], 'linux-arm64')).rejects.toThrow(
    /found no Chromium, and npm has none for linux-arm64: .*apt-get install chromium/,
  );
});

test('an installed browser is preferred to the one from npm', async () => {
  expect(await findBrowser([process.execPath], 'linux-x64')).toBe(process.execPath);
});

test('a browser that does not start is told by its first line', () => {
  expect(whyItFails(process.execPath)).toBeNull();
  expect(whyItFails('/nowhere/chromium')).toMatch(/ENOENT/);
  expect(whyItFails('/bin/false')).toBe('it ended with 1');
});
