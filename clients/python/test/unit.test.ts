/** Runs the Python tests that need no service. */
import { describe, expect, it } from 'vitest';
import { python, runPython } from './python.ts';

describe.skipIf(python === undefined)('the Python client', () => {
  it.each([
    'test_digests',
    'test_http',
    'test_judge',
    'test_decisions',
    'test_once',
    'test_sharing',
    'test_tls',
    'test_adapters',
    'test_generated',
    'test_facts',
  ])(
    '%s',
    {
      timeout: 60_000,
    },
    async (module) => {
      const { code, stderr } = await runPython(['-W', 'error::ResourceWarning', '-m', 'unittest', module]);
      expect(stderr).toMatch(/\nOK\n$/);
      expect(code).toBe(0);
    },
  );
});
