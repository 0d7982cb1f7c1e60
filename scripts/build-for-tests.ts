/** Bundles `writecheck` for the tests that start it: a start from a few files takes a third of the processor time. */
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ENTRY = 'packages/cli/src/writecheck.ts';
const COMMANDS = 'packages/cli/src/program.ts';

/** Returns the file to start with Node. */
export async function buildForTests(folder: string): Promise<string> {
  const storeThreads = globSync('packages/store/src/**/*-thread.ts', { cwd: ROOT });
  const others = globSync(['packages/service/src/**/*-thread.ts', 'packages/*/src/**/*-child.ts'], {
    cwd: ROOT,
  });
  const options: BuildOptions = {
    absWorkingDir: ROOT,
    outbase: ROOT,
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node24',
    conditions: ['writecheck-source'],
    logLevel: 'error',
    plugins: [installed, placesOfFiles(folder)],
  };
  await Promise.all([
    build({ ...options, entryPoints: [ENTRY, COMMANDS, ...others], format: 'esm', splitting: true }),
    // One file each, and CommonJS: a store starts two threads, and each then takes two thirds of the processor time.
    build({ ...options, entryPoints: storeThreads, format: 'cjs' }),
  ]);
  for (const thread of storeThreads)
    writeFileSync(join(folder, dirname(thread), 'package.json'), '{"type":"commonjs"}');
  for (const file of globSync('packages/*/package.json', { cwd: ROOT })) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  symlinkSync(join(ROOT, 'packages/service/console'), join(folder, 'packages/service/console'));
  return join(folder, ENTRY.replace(/\.ts$/, '.js'));
}

/** Installed npm packages are loaded from their own place. */
const installed: Plugin = {
  name: 'installed',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...from }) => {
      if (isBuiltin(path)) return { path, external: true };
      if (path.startsWith('@writecheck/') || pluginData === 'found') return undefined;
      const { kind, importer, resolveDir } = from;
      const found = await resolve(path, { kind, importer, resolveDir, pluginData: 'found' });
      return { path: found.errors.length > 0 ? path : found.path, external: true };
    });
  },
};

/** A file finds its threads and folders from its own place, which bundling would change. */
function placesOfFiles(folder: string): Plugin {
  return {
    name: 'places-of-files',
    setup({ onLoad }) {
      onLoad({ filter: /\/packages\/[^/]+\/src\/.*\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        const place = join(folder, path.slice(ROOT.length).replace(/\.ts$/, '.js'));
        return {
          loader: 'ts',
          contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(place).href)),
        };
      });
    },
  };
}
