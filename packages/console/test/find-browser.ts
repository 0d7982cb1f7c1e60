/** Finds Chromium for the browser tests: an installed one, or on x64 Linux the one from npm. */
import { existsSync } from 'node:fs';
import sparticuz from '@sparticuz/chromium';

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export async function findBrowser(
  places: readonly string[] = INSTALLED,
  platform = `${process.platform}-${process.arch}`,
): Promise<string> {
  const installed = places.find((path) => existsSync(path));
  if (installed !== undefined) return installed;
  if (platform === 'linux-x64') return sparticuz.executablePath();
  throw new Error(
    `the browser tests found no Chromium, and npm has none for ${platform}: install one (Debian: apt-get install chromium)`,
  );
}
