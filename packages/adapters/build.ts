/** Makes dist/: one file per framework and its types; the frameworks and the client stay outside. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const home = import.meta.dirname;
const dist = join(home, 'dist');
const types = join(dist, 'types');

rmSync(dist, { recursive: true, force: true });
await build({
  absWorkingDir: home,
  outdir: dist,
  bundle: true,
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

execFileSync('tsc', ['-p', join(home, 'tsconfig.build.json')], { stdio: 'inherit' });
for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue;
  const file = join(types, name);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, "'$2.js'"));
}
