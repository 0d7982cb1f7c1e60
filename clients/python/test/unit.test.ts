/** Runs the Python tests that need no service. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { python, runPython, TESTS } from './python.ts';

describe.skipIf(python === undefined)('the Python client', () => {
  // One interpreter for all, since a start costs more than most modules.
  it('passes its unit tests', async () => {
    const modules = readdirSync(TESTS)
      .filter((name) => /^test_.*\.py$/.test(name) && name !== 'test_service.py')
      .map((name) => name.replace(/\.py$/, ''));
    expect(modules.length).toBeGreaterThanOrEqual(10);
    const { code, stderr } = await runPython(['-W', 'error::ResourceWarning', '-m', 'unittest', ...modules]);
    // One test of facts needs the package `cryptography`.
    const { code: missing } = await runPython(['-c', 'import cryptography']);
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(missing ? 'OK (skipped=1)' : 'OK');
    expect(code).toBe(0);
  });
});
