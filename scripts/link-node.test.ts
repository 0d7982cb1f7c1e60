import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('./link-node.js', import.meta.url));
const PACKAGE = `node-${process.platform}-${process.arch}`;
const LINK = 'node_modules/.bin/node';

function installed(...names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-link-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  for (const name of names) {
    mkdirSync(join(folder, 'node_modules', name, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'node_modules', name, 'bin/node'), '');
  }
  return folder;
}

test('the link to our Node is restored if npm removed it, and stays unchanged after that', () => {
  const folder = installed(PACKAGE, 'node-other-cpu');
  for (let i = 0; i < 2; i += 1) execFileSync(process.execPath, [SCRIPT], { cwd: folder });
  expect(readlinkSync(join(folder, LINK))).toBe(`../${PACKAGE}/bin/node`);
});

test('a machine without a package for it keeps its own Node', () => {
  const folder = installed('node-other-cpu');
  execFileSync(process.execPath, [SCRIPT], { cwd: folder });
  expect(() => readlinkSync(join(folder, LINK))).toThrow('ENOENT');
});
