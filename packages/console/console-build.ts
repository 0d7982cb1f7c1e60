/** Builds the console where the build is missing or older than what it is made of: before a start, before a test. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Beside the service's sources and beside its compiled files alike, so that both find it by the same path. */
export const OUTPUT = join(import.meta.dirname, '../service/console');

const MADE_OF = [
  'console/src',
  'console/index.html',
  'console/vite.config.ts',
  'console/package.json',
  'contract/src',
  'engine/src',
  'ledger/src',
];

export async function buildConsole(): Promise<'built' | 'fresh'> {
  const index = join(OUTPUT, 'index.html');
  const sources = MADE_OF.map((path) => join(import.meta.dirname, '..', path));
  if (existsSync(index) && Math.max(...sources.map(newestMs)) < statSync(index).mtimeMs) return 'fresh';
  const { build } = await import('vite');
  await build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn' });
  return 'built';
}

function newestMs(path: string): number {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return Math.max(mtimeMs, ...files.map((name) => statSync(join(path, name)).mtimeMs));
}

/** One line: a bundler's own advice is for another situation, such as to remove the lock file. */
export function whyNotBuilt(error: unknown): string {
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split(/\n|(?<=\.) /, 1);
  const advice = /native binding/i.test(first)
    ? `its build tool has no program for ${process.platform}-${process.arch} in node_modules; run \`npm ci\` on this machine`
    : 'run `npm run build --workspace packages/console` to see the whole error';
  return `the console was not built (${first.replace(/\.$/, '')}), and the service starts without it; ${advice}`;
}

if (import.meta.main) {
  try {
    await buildConsole();
  } catch (error) {
    // INVARIANT: the service starts without its console; what it serves at `/` then says so.
    process.stderr.write(`${whyNotBuilt(error)}\n`);
  }
}
