/**
 * `npm run check`: style, types, directions of imports and dead code, in parallel. Prints the output of each,
 * and fails if any fails.
 */
import { spawn } from 'node:child_process';

const CHECKS = [
  'biome check .',
  // Checks only files that depend on a changed file; and declarations, because a build writes them without checking.
  // One checker, since several each check what they share: a third more processor time, which the tests beside it need.
  'node node_modules/typescript-7/bin/tsc -p tsconfig.json --checkers 1 --declaration --incremental --tsBuildInfoFile node_modules/.cache/check.tsbuildinfo',
  'depcruise --config .dependency-cruiser.json packages',
  'knip',
];

const failed = await Promise.all(
  CHECKS.map((command) => {
    const child = spawn(command, { shell: true });
    let output = '';
    child.stdout.on('data', (text) => (output += text));
    child.stderr.on('data', (text) => (output += text));
    return new Promise<boolean>((resolve) => {
      child.once('close', (code) => {
        process.stdout.write(`${output}${code === 0 ? 'passed' : 'failed'}: ${command}\n`);
        resolve(code !== 0);
      });
    });
  }),
);
process.exitCode = failed.includes(true) ? 1 : 0;
