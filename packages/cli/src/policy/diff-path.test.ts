import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { diffPath } from './diff-path.ts';
import { unifiedDiff } from './unified-diff.ts';

const BEFORE = 'kind: Profile\nid: p\nwritePolicy: observe\n';
const AFTER = 'kind: Profile\nid: p\nwritePolicy: enforce\n';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'writecheck-diff-path-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Applies the change of a file as a reader who follows the hint would, and returns the resulting file. */
function applied(path: string, workingFolder: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  mkdirSync(workingFolder, { recursive: true });
  writeFileSync(file, BEFORE);
  const { name, applyIn } = diffPath(file, workingFolder);
  const input = unifiedDiff(name, BEFORE, AFTER);
  execFileSync('git', ['apply'], { cwd: applyIn ?? workingFolder, input });
  return readFileSync(file, 'utf8');
}

test.each([
  ['from the root', '.'],
  ['from a folder below it', 'infra'],
  ['from a folder beside the policies', 'docs'],
  ['from outside of the work tree', '../elsewhere'],
])('git applies the change in a work tree, %s', (_, working) => {
  const tree = join(folder, 'tree');
  mkdirSync(tree);
  execFileSync('git', ['init', '--quiet'], { cwd: tree });
  expect(applied('tree/infra/my policies/bank.yaml', join(tree, working))).toBe(AFTER);
});

test.each([
  ['from above the file', '.'],
  ['from elsewhere', 'elsewhere'],
])('git applies the change without a work tree, %s', (_, working) => {
  expect(applied('policies/bank.yaml', join(folder, working))).toBe(AFTER);
});

test('a change that applies in the working folder needs no hint', () => {
  mkdirSync(join(folder, '.git'));
  mkdirSync(join(folder, 'infra/policies'), { recursive: true });
  const file = join(folder, 'infra/policies/bank.yaml');
  expect(diffPath(file, join(folder, 'infra'))).toEqual({
    name: 'infra/policies/bank.yaml',
    applyIn: null,
  });
});
