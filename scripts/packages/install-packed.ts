/**
 * Packs every public package as `npm publish` does, from a copy of the working tree without builds, and unpacks the
 * tarballs into an empty project. Needs no network: dependencies are links to the modules installed here.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type PublicPackage, publicPackages, ROOT, readManifest } from './public-packages.ts';

const MODULES = join(ROOT, 'node_modules');
/** Output of builds and packs, which a clean checkout does not have. */
const LEFT_BEHIND =
  /\/packages\/[^/]+\/(?:dist|node_modules|reports|screenshots|LICENSE)$|\/service\/console$/;

export interface Packed extends PublicPackage {
  readonly tarball: string;
  /** Its path in the project. */
  readonly home: string;
}

export async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const PATH = `${join(MODULES, '.bin')}:${process.env.PATH}`;
  const env = { ...process.env, PATH, NODE_OPTIONS: '', npm_config_offline: 'true' };
  try {
    const { stdout } = await promisify(execFile)(command, [...args], { cwd, env, maxBuffer: 2 ** 26 });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed\n${stdout}\n${stderr}`, { cause: error });
  }
}

/** Creates `project` and returns the packages installed in it. */
export async function installPacked(place: string, project: string): Promise<readonly Packed[]> {
  const copy = join(place, 'copy');
  copyWorkingTree(copy);
  mkdirSync(join(project, 'node_modules'), { recursive: true });
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const waiting = [...publicPackages()];
  const packed: Packed[] = [];
  // Two at a time, in any order: no build may depend on another package's build.
  const packNext = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const tarball = await pack(join(copy, next.folder), place);
      const home = join(project, 'node_modules', next.manifest.name);
      mkdirSync(home, { recursive: true });
      await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', home], place);
      packed.push({ ...next, manifest: readManifest(join(home, 'package.json')), tarball, home });
    }
  };
  await Promise.all([packNext(), packNext()]);
  for (const { manifest } of packed) linkModules(project, Object.keys(manifest.dependencies ?? {}));
  return packed;
}

/** Links modules installed here into the project. */
export function linkModules(project: string, names: readonly string[]): void {
  for (const name of names) {
    const link = join(project, 'node_modules', name);
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(MODULES, name), link);
  }
}

function copyWorkingTree(copy: string): void {
  for (const file of ['package.json', 'tsconfig.json', 'LICENSE', 'packages', 'scripts']) {
    cpSync(join(ROOT, file), join(copy, file), {
      recursive: true,
      filter: (path) => !LEFT_BEHIND.test(path),
    });
  }
  // Link modules one by one, because links to our own packages must point into the copy.
  const modules = join(copy, 'node_modules');
  mkdirSync(join(modules, '@writecheck'), { recursive: true });
  for (const name of readdirSync(MODULES)) {
    if (name !== '@writecheck' && name !== 'writecheck')
      symlinkSync(join(MODULES, name), join(modules, name));
  }
  for (const folder of readdirSync(join(copy, 'packages'))) {
    const { name } = readManifest(join(copy, 'packages', folder, 'package.json'));
    symlinkSync(join(copy, 'packages', folder), join(modules, name));
    const own = join(ROOT, 'packages', folder, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(copy, 'packages', folder, 'node_modules'));
  }
}

async function pack(folder: string, destination: string): Promise<string> {
  const printed = await run('npm', ['pack', '--loglevel=error', '--pack-destination', destination], folder);
  return join(destination, printed.trim().split('\n').at(-1)!);
}
