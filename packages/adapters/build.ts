/**
 * Makes dist/: one file per framework, the commands, their types, and the licences of bundled code. Frameworks and the
 * client stay outside. The commands bundle the MCP SDKs, so that guarding a framework's tools does not install them.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { writeLicences, writeTypes } from '../../scripts/bundle-package.ts';

const home = import.meta.dirname;
const dist = join(home, 'dist');

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

writeTypes(home, join(dist, 'types'));
writeLicences(home, [frameworks, commands]);
