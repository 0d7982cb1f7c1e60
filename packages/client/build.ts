/** Makes dist/: one self-contained file per entry, its types, and the licences of bundled code. */
import { rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { writeLicences, writeTypes } from '../../scripts/bundle-package.ts';

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
// The published package must need neither our sources nor our other packages.
writeTypes(home, types, (text, file) =>
  text.replace(/(['"])@writecheck\/(\w+)\1/g, (_, _quote, room) => {
    const path = relative(dirname(file), join(types, room, 'src/index.js'));
    return `'${path.startsWith('.') ? path : `./${path}`}'`;
  }),
);
writeLicences(home, [anywhere]);
