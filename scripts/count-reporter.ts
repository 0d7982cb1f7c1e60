/** Prints the closing line `N passed, N failed` that CI reads. */
import type { Reporter, TestModule } from 'vitest/node';

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    let skipped = 0;
    for (const module of modules) {
      const states = [...module.children.allTests()].map((test) => test.result().state);
      const failedTests = states.filter((state) => state === 'failed').length;
      passed += states.filter((state) => state === 'passed').length;
      skipped += states.filter((state) => state === 'skipped').length;
      // A file that fails to load or set up has no failed test, so the file itself counts as a failure.
      failed += module.ok() ? failedTests : Math.max(failedTests, 1);
    }
    if (skipped > 0) console.log(`${skipped} skipped`);
    console.log(`${passed} passed, ${failed} failed`);
  }
}
