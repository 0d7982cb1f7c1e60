import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

/** Without state of their own: a worker runs one after the other, which saves loading the same modules for each file. */
const PURE = ['packages/{api,console,contract,engine,ledger}/src/**/*.test.ts'];
const OTHERS = [
  'packages/*/{src,test}/**/*.test.ts',
  'conformance/**/*.test.ts',
  'scripts/**/*.test.ts',
  'examples/**/*.test.ts',
  'deploy/*.test.ts',
  'clients/*/test/**/*.test.ts',
];

export default defineConfig({
  resolve: { conditions: ['writecheck-source', 'module', 'browser', 'development|production'] },
  ssr: { resolve: { conditions: ['writecheck-source', 'node', 'module', 'development|production'] } },
  test: {
    globalSetup: './scripts/tests-folder.ts',
    // What runs at night has no budget.
    setupFiles: [
      './scripts/bundled-threads.ts',
      ...(process.env.npm_lifecycle_event === 'test' ? ['./scripts/processor-budget.ts'] : []),
    ],
    projects: [
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
      {
        extends: true,
        test: { name: 'others', include: OTHERS, exclude: [...configDefaults.exclude, ...PURE] },
      },
    ],
    reporters: ['default', './scripts/count-reporter.ts'],
    // These only end what hangs, however busy the machine is. How much a file may work, its budget says.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Of two cores vitest would leave one idle; most tests wait for a disk or another process, so two are not enough.
    maxWorkers: Math.max(3, availableParallelism()),
    tags: [
      {
        name: 'nightly',
        description: 'repeats, at length or on a second path, what a faster test of the same guarantee shows',
      },
    ],
  },
});
