import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const VITEST = join(createRequire(import.meta.url).resolve('vitest/package.json'), '../vitest.mjs');

/** Runs the files as a separate project and returns the reporter's output. */
function outputOf(files: { readonly [name: string]: string }): string {
  const folder = mkdtempSync(join(ROOT, 'node_modules/.count-reporter-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const reporter = join(import.meta.dirname, 'count-reporter.ts');
    const run = [VITEST, 'run', '--root', folder, '--config', 'none.config.ts', `--reporter=${reporter}`];
    writeFileSync(join(folder, 'none.config.ts'), 'export default {};\n');
    return execFileSync(process.execPath, run, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const HEAD = `import { beforeAll, expect, test } from 'vitest';\n`;

test('the closing line counts failed tests and files that fail to load or set up', () => {
  const output = outputOf({
    'good.test.ts': `${HEAD}test('a', () => {}); test('b', () => {});`,
    'bad.test.ts': `${HEAD}test('a', () => expect(1).toBe(2)); test('b', () => expect(1).toBe(2));`,
    'set-up.test.ts': `${HEAD}beforeAll(() => { throw new Error('no browser'); }); test('a', () => {});`,
    'loading.test.ts': `throw new Error('cannot be loaded');`,
  });
  expect(output.trim().split('\n').at(-1)).toBe('2 passed, 4 failed');
});
