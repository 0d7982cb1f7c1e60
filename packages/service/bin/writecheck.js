#!/usr/bin/env node
/** The command `writecheck`: what was compiled where it was published, the sources where it is being worked on. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;
/** For these exit code 2 means: do not write. Claude Code runs the tool after any other failure of its hook. */
const ASKING_COMMANDS = ['hook', 'check'];

if (Number(process.versions.node.split('.', 1)[0]) < OLDEST_NODE) {
  console.error(
    `writecheck needs Node ${OLDEST_NODE} or newer, and this is ${process.version}; install a newer Node and try again`,
  );
  process.exit(ASKING_COMMANDS.includes(process.argv[2]) ? 2 : 1);
}

const compiled = new URL('../dist/cli/writecheck.js', import.meta.url);
if (existsSync(compiled)) {
  await import(compiled.href);
} else {
  const source = fileURLToPath(new URL('../src/cli/writecheck.ts', import.meta.url));
  const node = [process.execPath, '--conditions=writecheck-source', source, ...process.argv.slice(2)];
  process.execve(process.execPath, node, process.env);
}
