/**
 * `npm run lock`: enters into package-lock.json the builds for other platforms that npm left out because the registry
 * at hand does not offer them. Without these entries `npm ci` refuses the file, here and everywhere else.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: { readonly [name: string]: string };
}
type Packages = { readonly [path: string]: LockEntry };

const FILE = new URL('../package-lock.json', import.meta.url);

export function readLock(): { readonly packages: Packages } {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** Those that a package in the lock names and that have no entry anywhere it would look for them. */
export function missingBuilds(
  packages: Packages,
): readonly { name: string; version: string; dev: boolean }[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {}, dev = false }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !isFound(packages, path, name))
      .map(([name, version]) => ({ name, version, dev })),
  );
}

function isFound(packages: Packages, path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (Object.hasOwn(packages, `${folder}/node_modules/${name}`)) return true;
    if (folder === '' || !folder.includes('/node_modules/')) break;
  }
  return Object.hasOwn(packages, `node_modules/${name}`);
}

/** The platform as it stands in the name of the build, such as `binding-linux-arm64-musl`. */
function platformOf(name: string): object {
  if (name.includes('wasm32')) return { cpu: ['wasm32'] };
  const [, os, cpu] = /(android|darwin|freebsd|linux|openharmony|win32)-([a-z0-9]+)/.exec(name) ?? [];
  if (os === undefined) throw new Error(`the platform of ${name} cannot be read off its name`);
  const libc = name.includes('musl') ? ['musl'] : ['glibc'];
  return { cpu: [cpu], os: [os], ...(os === 'linux' && { libc }) };
}

if (import.meta.main) {
  const lock = readLock();
  const packages: Record<string, LockEntry> = { ...lock.packages };
  for (const { name, version, dev } of missingBuilds(packages)) {
    packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(dev && { dev }),
      optional: true,
    } as LockEntry;
  }
  const sorted = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  writeFileSync(FILE, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
}
