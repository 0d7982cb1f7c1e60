#!/usr/bin/env node
/** The command `writecheck-audit`: runs the compiled code if it exists, and the sources in a checkout. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;

if (Number(process.versions.node.split('.', 1)[0]) < OLDEST_NODE) {
  console.error(
    `writecheck-audit needs Node ${OLDEST_NODE} or newer, and this is ${process.version}; install a newer Node and try again`,
  );
  // 1 would mean that something does not hold.
  process.exit(2);
}

const compiled = new URL('../dist/writecheck-audit.js', import.meta.url);
if (existsSync(compiled)) {
  await import(compiled.href);
} else {
  const source = fileURLToPath(new URL('../src/writecheck-audit.ts', import.meta.url));
  const node = [process.execPath, '--conditions=writecheck-source', source, ...process.argv.slice(2)];
  process.execve(process.execPath, node, process.env);
}
