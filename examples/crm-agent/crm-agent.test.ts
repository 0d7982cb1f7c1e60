import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the CRM agent writes when it is approved, and at no other time', async () => {
  const args = ['--conditions=writecheck-source', join(import.meta.dirname, 'main.ts')];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const [, paused, allowed, down] = stdout.split('## ');
  expect(paused).toContain('paused for review: Control `approval` has no evidence');
  expect(paused).toContain('the CRM holds ada@old.example');
  expect(allowed).toContain('the e-mail address of c-1042 is ada@example.org now');
  expect(allowed).toContain('the CRM holds ada@example.org');
  expect(down).toContain('no valid decision');
  expect(down).toContain('the CRM holds ada@old.example');
});
