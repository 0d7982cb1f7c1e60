/**
 * `npm test`: the checks beside the tests, since the checks leave a core idle. They run at low priority, so
 * that they delay no test. Fails if either does; arguments go to vitest.
 */
import { spawn } from 'node:child_process';

function run(command: string, ...args: readonly string[]): Promise<boolean> {
  const child = spawn(command, args, { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve(code === 0));
  });
}

const checking = run('nice', process.execPath, 'scripts/check.ts');
const havePassed = await run('vitest', 'run', '--tags-filter=!nightly', ...process.argv.slice(2));
const isClean = await checking;
if (!isClean) console.error('npm run check failed: see what it said above');
process.exitCode = havePassed && isClean ? 0 : 1;
