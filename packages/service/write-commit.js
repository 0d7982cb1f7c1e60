/** Writes the commit that a build is made from beside the compiled service: the one in COMMIT, or git's. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

function commit() {
  if (process.env.COMMIT) return process.env.COMMIT;
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return 'unknown';
  }
}

writeFileSync(new URL('./dist/commit', import.meta.url), `${commit().trim().slice(0, 12)}\n`);
