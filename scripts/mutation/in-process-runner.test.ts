import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const RUNNER = join(import.meta.dirname, 'in-process-runner.ts');

/** Its tests fail, and hit the mutated place, depending on the active mutant. */
const TESTS = `
import { expect, test } from 'vitest';
const stryker = globalThis.__stryker__;
let isBroken = false;
test('kills', () => expect(stryker.activeMutant).not.toBe('killed'));
test('hits', () => { if (stryker.activeMutant === 'endless') stryker.hitCount = 101; });
test('remembers', () => {
  isBroken ||= stryker.activeMutant === 'poisons';
  expect(isBroken).toBe(false);
});
test('left out', () => { throw new Error('this test is left out'); });
`;

const PROGRAM = `
const { strykerPlugins } = await import(${JSON.stringify(RUNNER)});
const runner = strykerPlugins[0].factory({ inProcess: { tests: ['*.test.mjs'], leaveOut: ['left out'] } });
await runner.init();
const dry = await runner.dryRun();
const found = { dry: dry.tests.map(({ status }) => status) };
const ids = dry.tests.map(({ id }) => id);
for (const id of ['none', 'killed', 'endless', 'poisons']) {
  const run = { activeMutant: { id }, hitLimit: 100 };
  found[id] = await runner.mutantRun(run).then(({ status }) => status, (error) => error.message);
}
const run = { activeMutant: { id: 'killed' }, testFilter: ids.slice(1, 2) };
found.uncovered = (await runner.mutantRun(run)).status;
console.log(JSON.stringify(found));
process.exit(0);
`;

test('a mutant counts as killed only by a test that covers it, and that passes without it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-runner-'));
  try {
    writeFileSync(join(folder, 'one.test.mjs'), TESTS);
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stdout, stderr).not.toBe('');
    expect(JSON.parse(stdout)).toEqual({
      dry: [0, 0, 0],
      none: 'survived',
      killed: 'killed',
      endless: 'timeout',
      poisons: expect.stringContaining('fails without a mutant'),
      uncovered: 'survived',
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
