/** Runs the Python tests that need a service. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningService, startService } from '../../../packages/adapters/test/spawn-service.ts';
import { python, runPython } from './python.ts';

describe.skipIf(python === undefined)('the Python client and the service', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it('agree on decisions, reviews, receipts and evidence', { timeout: 60_000 }, async () => {
    const { stderr } = await runPython(['-m', 'unittest', 'test_service'], {
      env: { WRITECHECK_URL: service.url },
    });
    // Receipts and signed evidence need a package that Debian calls python3-cryptography.
    if (stderr.includes('skipped')) console.warn('SKIPPED: receipts in Python, without `cryptography`');
    expect(stderr).toMatch(/\nOK( \(skipped=2\))?\n$/);
  });

  it('do what the README says', async () => {
    const made = await fetch(`${service.url}/v1/workspaces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'readme' }),
    });
    const { developmentKey } = (await made.json()) as { readonly developmentKey: string };
    const { stdout, stderr } = await runPython(['run_readme.py'], {
      env: { WRITECHECK_URL: service.url, WRITECHECK_API_KEY: developmentKey },
    });
    expect(stderr).toBe('');
    expect(stdout).toBe('good\n');
  });
});
