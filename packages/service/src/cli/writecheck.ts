#!/usr/bin/env node
/** The command `writecheck`: looks at the Node it runs on before it loads anything that could break on an old one. */
import module from 'node:module';
import { blockUnlessPermitted } from './hook-claude-exit.ts';
import { refuseNodeVersion } from './node-version.ts';

// Whoever reads the output may stop reading: `writecheck workspace list | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

if (process.argv[2] === 'hook') blockUnlessPermitted();
const refusal = refuseNodeVersion(process.version);
if (refusal === null) {
  module.enableCompileCache?.();
  const { run } = await import('./program.ts');
  await run(process.argv);
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}
