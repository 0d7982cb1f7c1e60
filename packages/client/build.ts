/** Makes dist/: one self-contained file per entry, its types, and the licences of bundled code. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

const home = import.meta.dirname;
const dist = join(home, 'dist');
const types = join(dist, 'types');

const shared = {
  absWorkingDir: home,
  outdir: dist,
  bundle: true,
  minify: true,
  sourcemap: true,
  format: 'esm',
  target: 'es2022',
  conditions: ['writecheck-source'],
  metafile: true,
} satisfies BuildOptions;

rmSync(dist, { recursive: true, force: true });
const anywhere = await build({
  ...shared,
  platform: 'neutral',
  entryPoints: { index: 'src/index.ts', evidence: 'src/evidence.ts', receipt: 'src/receipt.ts' },
});
const nodeOnly = await build({
  ...shared,
  platform: 'node',
  entryPoints: { 'fail-closed-kit': 'kit/index.ts', 'writecheck-kit': 'kit/program/writecheck-kit.ts' },
});

const tsc = join(home, '../../node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', join(home, 'tsconfig.build.json')], { stdio: 'inherit' });
for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue;
  const file = join(types, name);
  // The published package must need neither our sources nor our other packages.
  const text = readFileSync(file, 'utf8')
    .replace(/(['"])@writecheck\/(\w+)\1/g, (_, _quote, room) => {
      const path = relative(dirname(file), join(types, room, 'src/index.js'));
      return `'${path.startsWith('.') ? path : `./${path}`}'`;
    })
    .replace(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, "'$2.js'");
  writeFileSync(file, text);
}

const bundled = [anywhere, nodeOnly].flatMap(({ metafile }) => Object.keys(metafile.inputs));
const foreign = new Set(
  bundled.flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []),
);
const licences = [...foreign].sort().map((folder) => {
  const { name, version } = JSON.parse(readFileSync(join(home, folder, 'package.json'), 'utf8'));
  const licence = readdirSync(join(home, folder)).find((file) => /^licen[cs]e/i.test(file));
  if (licence === undefined) throw new Error(`\`${name}\` is bundled and has no licence file`);
  return `${name} ${version}\n\n${readFileSync(join(home, folder, licence), 'utf8')}`;
});
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licences.join('\n\n'));
