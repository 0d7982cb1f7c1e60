/** `npm run mutation -- engine`: tests the mutants of one package; docs/mutation.md has the results. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const [name = '', ...rest] = process.argv.slice(2);
const config = `packages/${name}/stryker.config.json`;

if (!existsSync(`${ROOT}${config}`)) {
  console.error('name a package: npm run mutation -- contract|engine|ledger|client');
  process.exitCode = 2;
} else {
  const { status } = spawnSync('stryker', ['run', config, ...rest], { cwd: ROOT, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
