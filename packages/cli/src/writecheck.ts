#!/usr/bin/env node
/** The command `writecheck`: checks the Node version before it loads anything that could break on an old one. */
import module from 'node:module';
import { isAbsolute, join } from 'node:path';
import { blockUnlessPermitted } from '@writecheck/adapters/agent';
import { refuseNodeVersion } from './node-version.ts';

// The reader of the output may stop early: `writecheck workspace list | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

/** Not the default, the shared temporary folder: anybody who can write there could inject code. */
function cacheFolder(): string | null {
  const { XDG_CACHE_HOME = '', HOME = '' } = process.env;
  const folder = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(HOME, '.cache');
  return isAbsolute(folder) ? join(folder, 'writecheck') : null;
}

if (process.argv[2] === 'hook') blockUnlessPermitted();
const refusal = refuseNodeVersion(process.version);
if (refusal === null) {
  const cache = cacheFolder();
  if (cache !== null) module.enableCompileCache?.(cache);
  const { run } = await import('./program.ts');
  await run(process.argv);
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 2;
}
