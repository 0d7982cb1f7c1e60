/** Finds Chromium for the browser tests: an installed one, or on x64 Linux the one from npm. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import sparticuz, { inflate } from '@sparticuz/chromium';

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
  useFontsOf(tmpdir());
  if (whyItFails(path) === null) return path;
  await useLibrariesOfPackage();
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

/** Without any font Chromium dies on the first text. The package unpacks one, but looks for it in `/tmp` only. */
function useFontsOf(folder: string): void {
  const file = join(folder, 'fonts.conf');
  const places = [join(folder, 'fonts'), '/usr/share/fonts'].map((place) => `<dir>${place}</dir>`);
  writeFileSync(
    file,
    `<?xml version="1.0"?><fontconfig>${places.join('')}<cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>`,
  );
  process.env.FONTCONFIG_FILE = file;
}

/** A machine without a desktop may lack libraries that Chromium needs. The package has them, for Amazon's Linux. */
async function useLibrariesOfPackage(): Promise<void> {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '../bin');
  const libraries = join(await inflate(join(folder, 'al2023.tar.br')), 'lib');
  const others = process.env.LD_LIBRARY_PATH;
  process.env.LD_LIBRARY_PATH = others === undefined ? libraries : `${libraries}:${others}`;
}
