/** Builds the console if the build is missing or older than its sources; runs before a start and before tests. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Next to the service's `src` and `dist`, so that both find it by the same relative path. */
export const OUTPUT = join(import.meta.dirname, '../service/console');

const MADE_OF = [
  'console/src',
  'console/index.html',
  'console/vite.config.ts',
  'console/required-members.ts',
  'console/package.json',
  'api/src',
  'contract/src',
  'engine/src',
  'ledger/src',
];

export async function buildConsole(): Promise<'built' | 'fresh'> {
  const index = join(OUTPUT, 'index.html');
  const sources = MADE_OF.map((path) => join(import.meta.dirname, '..', path));
  if (existsSync(index) && Math.max(...sources.map(newestMs)) < statSync(index).mtimeMs) return 'fresh';
  const { build } = await import('vite');
  // A test runner names another environment, and the console would be built for debugging: larger, and with paths of this machine.
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    await build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn' });
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
  return 'built';
}

function newestMs(path: string): number {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return Math.max(mtimeMs, ...files.map((name) => statSync(join(path, name)).mtimeMs));
}

/** One line, without the bundler's own advice, which is wrong here (such as to delete the lock file). */
export function whyNotBuilt(error: unknown): string {
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split(/\n|(?<=\.) /, 1);
  const advice = /native binding/i.test(first)
    ? `node_modules has no build tool for ${process.platform}-${process.arch}; run \`npm ci\` on this machine`
    : 'run `npm run build --workspace packages/console` to see the whole error';
  return `the console was not built (${first.replace(/\.$/, '')}), so the service starts without it; ${advice}`;
}

if (import.meta.main) {
  try {
    await buildConsole();
  } catch (error) {
    // INVARIANT: the service starts without its console; the page at `/` then says so.
    process.stderr.write(`${whyNotBuilt(error)}\n`);
  }
}
