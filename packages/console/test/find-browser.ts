/** Finds Chromium for the browser tests: an installed one, or on x64 Linux the one from npm. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import sparticuz, { inflate, setupLambdaEnvironment } from '@sparticuz/chromium';

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const INSTALL = 'install one (Debian: apt-get install chromium)';

export async function findBrowser(
  places: readonly string[] = INSTALLED,
  platform = `${process.platform}-${process.arch}`,
): Promise<string> {
  const installed = places.find((path) => existsSync(path));
  if (installed !== undefined) return installed;
  if (platform !== 'linux-x64') {
    throw new Error(`the browser tests found no Chromium, and npm has none for ${platform}: ${INSTALL}`);
  }
  const path = await sparticuz.executablePath();
  if (whyItFails(path) !== null) await addLibraries();
  const fault = whyItFails(path);
  if (fault !== null) throw new Error(`the Chromium from npm does not start (${fault}): ${INSTALL}`);
  return path;
}

/** The first line that it prints instead of its version, or null if it starts. */
export function whyItFails(path: string): string | null {
  const { status, signal, stderr, error } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (status === 0) return null;
  return stderr?.trim().split('\n')[0] || (error?.message ?? `it ended with ${signal ?? status}`);
}

/** A machine without a desktop may lack the libraries that Chromium needs. The package has them, for Amazon's Linux. */
async function addLibraries(): Promise<void> {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '../bin');
  setupLambdaEnvironment(join(await inflate(join(folder, 'al2023.tar.br')), 'lib'));
}
