import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/longest-first.ts';

const TESTS = [
  'packages/*/{src,test}/**/*.test.ts',
  'conformance/**/*.test.ts',
  'scripts/**/*.test.ts',
  'examples/**/*.test.ts',
  'deploy/*.test.ts',
  'clients/*/test/**/*.test.ts',
];
/**
 * Without state of their own, or on services that each file starts and stops. The others set up the tracing of a process
 * or the folder that SQLite sorts in.
 */
const SHARED = [
  'packages/{api,audit,cli,client,console,contract,engine,facts,ledger,store}/{src,test}/**/!(history-store).test.ts',
  'packages/service/{src,test}/**/!(observability|operator-view).test.ts',
];

/**
 * They need modules that no other file has loaded, to mock them or for the clock of the store's suite, or they change
 * what every object inherits, which code that other files left running must not see.
 */
const UNSHARED = globSync('packages/*/{src,test}/**/*.test.ts').filter((file) =>
  /vi\.mock\(|store-contract-values|Object\.prototype, /.test(readFileSync(file, 'utf8')),
);

export default defineConfig({
  resolve: { conditions: ['writecheck-source', 'module', 'browser', 'development|production'] },
  ssr: { resolve: { conditions: ['writecheck-source', 'node', 'module', 'development|production'] } },
  test: {
    globalSetup: './scripts/tests-folder.ts',
    // What runs at night has no budget.
    setupFiles: [
      './scripts/bundled-threads.ts',
      './scripts/leave-nothing-behind.ts',
      ...(process.env.npm_lifecycle_event === 'test' ? ['./scripts/processor-budget.ts'] : []),
    ],
    projects: [
      // A worker runs one file after the other: the modules are loaded, and their code is compiled, once for all.
      {
        extends: true,
        test: {
          name: 'shared',
          include: SHARED,
          exclude: [...configDefaults.exclude, ...UNSHARED],
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: TESTS, exclude: [...configDefaults.exclude, ...SHARED, ...UNSHARED] },
      },
      { extends: true, test: { name: 'unshared', include: UNSHARED } },
    ],
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './scripts/count-reporter.ts'],
    // These only end what hangs, however busy the machine is. How much a file may work, its budget says.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Of two cores vitest would leave one idle; most tests wait for a disk or another process, so two are not enough.
    maxWorkers: Math.max(4, availableParallelism()),
    tags: [
      {
        name: 'nightly',
        description: 'repeats, at length or on a second path, what a faster test of the same guarantee shows',
      },
    ],
  },
});
