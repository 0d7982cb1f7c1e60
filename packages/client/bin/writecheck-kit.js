#!/usr/bin/env node
/** The command `writecheck-kit`: runs the compiled code if it exists, and the sources in a checkout. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const compiled = new URL('../dist/writecheck-kit.js', import.meta.url);
if (existsSync(compiled)) {
  await import(compiled.href);
} else {
  const source = fileURLToPath(new URL('../kit/program/writecheck-kit.ts', import.meta.url));
  const args = ['--conditions=writecheck-source', source, ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 2;
}
