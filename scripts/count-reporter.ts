/** Prints the closing line `N passed, N failed` that CI reads, and writes the failed files to `FAILED_TESTS` if it is set. */
import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    let skipped = 0;
    const failedFiles: string[] = [];
    for (const module of modules) {
      const states = [...module.children.allTests()].map((test) => test.result().state);
      const failedTests = states.filter((state) => state === 'failed').length;
      passed += states.filter((state) => state === 'passed').length;
      skipped += states.filter((state) => state === 'skipped').length;
      // A file that fails to load or set up has no failed test, so the file itself counts as a failure.
      if (!module.ok()) failedFiles.push(module.moduleId);
      failed += module.ok() ? failedTests : Math.max(failedTests, 1);
    }
    const { FAILED_TESTS } = process.env;
    // An error outside of any test has no file to run again.
    if (FAILED_TESTS) writeFileSync(FAILED_TESTS, unhandledErrors.length > 0 ? '' : failedFiles.join('\n'));
    if (skipped > 0) console.log(`${skipped} skipped`);
    console.log(`${passed} passed, ${failed} failed`);
  }
}
