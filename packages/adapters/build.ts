/**
 * Makes dist/: one file per framework, the commands, their types, and the licences of bundled code. Frameworks and the
 * client stay outside. The commands bundle the MCP SDKs, so that guarding a framework's tools does not install them.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

const home = import.meta.dirname;
const dist = join(home, 'dist');
const types = join(dist, 'types');

rmSync(dist, { recursive: true, force: true });
const shared = {
  absWorkingDir: home,
  outdir: dist,
  bundle: true,
  metafile: true,
  format: 'esm',
  target: 'es2022',
  platform: 'node',
  conditions: ['writecheck-source'],
  external: ['@writecheck/client', 'ai', 'langchain', '@openai/agents'],
} satisfies BuildOptions;
const frameworks = await build({
  ...shared,
  sourcemap: true,
  entryPoints: {
    'ai-sdk': 'src/ai-sdk.ts',
    langchain: 'src/langchain.ts',
    'openai-agents': 'src/openai-agents.ts',
    claude: 'src/claude.ts',
    guard: 'src/guard.ts',
    mapping: 'src/mapping/index.ts',
  },
});
const commands = await build({
  ...shared,
  minify: true,
  // A command's code is loaded only when it runs.
  splitting: true,
  chunkNames: 'agent-[name]-[hash]',
  // A bundled CommonJS module loads Node modules through `require`.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  entryPoints: {
    agent: 'src/agent/index.ts',
    ask: 'src/agent/ask.ts',
    'writecheck-agent': 'src/agent/writecheck-agent.ts',
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
  [frameworks, commands]
    .flatMap(({ metafile }) => Object.values(metafile.outputs))
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
