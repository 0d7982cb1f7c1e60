/** Makes dist/: one file per framework, its types, and the licences of what was bundled in; frameworks and client stay outside. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const home = import.meta.dirname;
const dist = join(home, 'dist');
const types = join(dist, 'types');

rmSync(dist, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: home,
  outdir: dist,
  bundle: true,
  metafile: true,
  sourcemap: true,
  format: 'esm',
  target: 'es2022',
  platform: 'node',
  conditions: ['writecheck-source'],
  external: ['@writecheck/client', 'ai', 'langchain', '@openai/agents'],
  entryPoints: {
    'ai-sdk': 'src/ai-sdk.ts',
    langchain: 'src/langchain.ts',
    'openai-agents': 'src/openai-agents.ts',
    claude: 'src/claude.ts',
    guard: 'src/guard.ts',
    mapping: 'src/mapping/index.ts',
  },
});

const tsc = join(home, '../../node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', join(home, 'tsconfig.build.json')], { stdio: 'inherit' });
for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue;
  const file = join(types, name);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, "'$2.js'"));
}

const foreign = new Set(
  Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.keys(inputs))
    .flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []),
);
const licences = [...foreign].sort().map((folder) => {
  const { name, version } = JSON.parse(readFileSync(join(home, folder, 'package.json'), 'utf8'));
  const licence = readdirSync(join(home, folder)).find((file) => /^licen[cs]e/i.test(file));
  if (licence === undefined) throw new Error(`\`${name}\` is bundled and has no licence file`);
  return `${name} ${version}\n\n${readFileSync(join(home, folder, licence), 'utf8')}`;
});
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licences.join('\n\n'));
