/** Which tests run, which of them alone, and in what order. */
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

const TESTS = [
  'packages/*/{src,test}/**/*.test.ts',
  'conformance/**/*.test.ts',
  'scripts/**/*.test.ts',
  'examples/**/*.test.ts',
  'deploy/*.test.ts',
  'clients/*/test/**/*.test.ts',
];
/** They set up the tracing of a process. */
const OWN_PROCESS = /\/(observability|operator-view)\.test\.ts$/;
/**
 * They need modules that no other file has loaded, to mock them or for the clock of the store's suite, or they change
 * what every object inherits, which code that other files left running must not see.
 */
const OWN_MODULES = /vi\.mock\(|store-contract-values|Object\.prototype, /;

/** Without state of their own, or on services that each file starts and stops. */
const SHARED = globSync(TESTS, { exclude: ['**/node_modules/**'] }).filter(
  (file) => !OWN_PROCESS.test(file) && !OWN_MODULES.test(readFileSync(file, 'utf8')),
);

export default defineConfig({
  resolve: { conditions: ['writecheck-source', 'module', 'browser', 'development|production'] },
  ssr: { resolve: { conditions: ['writecheck-source', 'node', 'module', 'development|production'] } },
  test: {
    globalSetup: './scripts/tests-folder.ts',
    setupFiles: ['./scripts/bundled-threads.ts', './scripts/leave-nothing-behind.ts'],
    projects: [
      // A worker runs one file after the other: the modules are loaded, and their code is compiled, once for all.
      {
        extends: true,
        test: {
          name: 'shared',
          include: SHARED,
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: TESTS, exclude: [...configDefaults.exclude, ...SHARED] },
      },
    ],
    reporters: ['default', './scripts/count-reporter.ts'],
    // These only end what hangs, however busy the machine is.
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
