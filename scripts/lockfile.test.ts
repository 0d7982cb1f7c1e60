/** package-lock.json has a digest for every package on every supported platform, and names no registry. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface LockEntry {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: { readonly [name: string]: string };
}

const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8')) as {
  readonly packages: { readonly [path: string]: LockEntry };
};
const entries = Object.entries(packages);
const TO_DO =
  'delete these entries, or the whole file with node_modules, and run `npm install` against a registry that has every build; then commit package-lock.json';

/** npm's lookup: next to the package, then in every folder above. */
function entryOf(path: string, name: string): LockEntry | undefined {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const found = packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`];
    if (found !== undefined || folder === '') return found;
  }
}

test('every package from a registry has a sha512 digest', () => {
  const bare = entries.filter(([path, { link, integrity = '' }]) => {
    const isOurs = !path.includes('node_modules/');
    return !isOurs && link !== true && !/^sha512-[\w+/]{86}==$/.test(integrity);
  });
  expect(
    bare.map(([path]) => path),
    TO_DO,
  ).toEqual([]);
});

test('no entry names a registry', () => {
  const placed = entries.filter(([, { link, resolved }]) => resolved !== undefined && link !== true);
  const advice = `set \`omit-lockfile-registry-resolved=true\` (see .npmrc), then ${TO_DO}`;
  expect(
    placed.map(([path]) => path),
    advice,
  ).toEqual([]);
});

test('every native build for Linux with glibc or macOS, on x64 and arm64, has an entry', () => {
  const promised = /(?:linux|darwin)-(?:x64|arm64)(?!.*musl)/;
  const named = entries.flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).map((name) => ({ path, name })),
  );
  const builds = named.filter(({ name }) => promised.test(name));
  expect(builds.length).toBeGreaterThan(20);
  const missing = builds.filter(({ path, name }) => entryOf(path, name) === undefined);
  expect(
    missing.map(({ path, name }) => `${name}, which ${path} names`),
    TO_DO,
  ).toEqual([]);
});
