/** Runs the long tests: `npm run torture -- NAME [options]`, or all of them without a name. */
import { execFileSync } from 'node:child_process';

export interface TortureReport {
  readonly claim: string;
  /** How much was run. */
  readonly count: string;
  readonly seed: string;
  /** Empty if the claim held. */
  readonly faults: readonly string[];
}

interface TortureModule {
  readonly torture: (args: readonly string[]) => Promise<TortureReport>;
}

const TORTURES: { readonly [name: string]: () => Promise<TortureModule> } = {
  bodies: () => import('../packages/service/test/checks/bodies-torture.ts'),
  client: () => import('../packages/client/test/torture.ts'),
  console: () => import('../packages/console/test/torture.ts'),
  cores: () => import('../packages/service/test/running/cores-torture.ts'),
  digests: () => import('../clients/python/test/digests-torture.ts'),
  engine: () => import('../packages/engine/test/torture.ts'),
  scopes: () => import('../packages/engine/test/scopes-torture.ts'),
  kill: () => import('../packages/service/test/running/kill-torture.ts'),
  'review-kills': () => import('../packages/service/test/running/review-torture.ts'),
  limits: () => import('../packages/service/test/limits/limits-torture.ts'),
  loosening: () => import('../packages/engine/test/loosening.ts'),
  overload: () => import('../bench/src/overload.ts'),
  policies: () => import('../packages/service/test/policies/policy-torture.ts'),
  ledger: () => import('../packages/service/test/audit/ledger-torture.ts'),
  talk: () => import('../packages/engine/test/talk-torture.ts'),
  stops: () => import('../packages/service/test/freezes/stops-torture.ts'),
  stores: () => import('../packages/service/test/checks/stores-torture.ts'),
  replicas: () => import('../packages/service/test/stores/replicas-torture.ts'),
  repetition: () => import('./repetition/torture.ts'),
  reviews: () => import('../packages/service/test/reviews/review-lives.ts'),
  quota: () => import('../packages/service/test/running/quota-torture.ts'),
};

function currentCommit(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  try {
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' with changes'}`;
  } catch {
    return 'unknown';
  }
}

async function run(name: string, args: readonly string[]): Promise<readonly string[]> {
  const startedMs = Date.now();
  const { torture } = await TORTURES[name]!();
  const { claim, count, seed, faults } = await torture(args);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  const seconds = `${((Date.now() - startedMs) / 1000).toFixed(1)} s`;
  return [
    name,
    claim,
    count,
    seed,
    seconds,
    faults.length === 0 ? 'holds' : `${faults.length} FAULTS`,
  ] as const;
}

const [name, ...args] = process.argv.slice(2);
if (name !== undefined && !Object.hasOwn(TORTURES, name)) {
  console.error(`unknown name \`${name}\`; choose one of: ${Object.keys(TORTURES).join(', ')}`);
  process.exitCode = 2;
} else {
  const commit = currentCommit();
  const rows: (readonly string[])[] = [];
  for (const one of name === undefined ? Object.keys(TORTURES) : [name]) {
    rows.push(
      await run(one, args).catch((error: unknown) => {
        process.exitCode = 1;
        return [one, String(error), '', '', '', 'BROKEN'] as const;
      }),
    );
  }
  console.log(`commit ${commit}`);
  const table = [['name', 'claim', 'count', 'seed', 'time', 'result'], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
}
