#!/usr/bin/env node
/** The command `writecheck`: runs the compiled code if it is published, and the sources in a checkout. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;

// INVARIANT: a hook blocks by exit code 2 from the first line on; the program permits later, with another
// handler.
if (process.argv[2] === 'hook') {
  process.on('exit', () => {
    process.exitCode = 2;
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => process.exit(2));
}

if (Number(process.versions.node.split('.', 1)[0]) < OLDEST_NODE) {
  console.error(
    `writecheck needs Node ${OLDEST_NODE} or newer, and this is ${process.version}; install a newer Node and try again`,
  );
  // Not 1: for a hook of an agent only 2 blocks, and for `check` 2 means that there is no decision.
  process.exit(2);
}

const compiled = new URL('../dist/writecheck.js', import.meta.url);
if (existsSync(compiled)) {
  await import(compiled.href);
} else {
  const source = fileURLToPath(new URL('../src/writecheck.ts', import.meta.url));
  const node = [process.execPath, '--conditions=writecheck-source', source, ...process.argv.slice(2)];
  process.execve(process.execPath, node, process.env);
}
