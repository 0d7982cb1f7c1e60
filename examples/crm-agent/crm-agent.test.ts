import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the CRM agent writes once a person has approved the write, and at no other time', async () => {
  const args = ['--conditions=writecheck-source', join(import.meta.dirname, 'main.ts')];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const [, paused, approved, again, down] = stdout.split('## ');
  expect(paused).toContain('paused for review: a person must approve this write (`approval`)');
  expect(paused).toMatch(/A person was asked to approve exactly this write \(review rev_\w+, http/);
  expect(paused).toContain('the CRM holds ada@old.example');
  expect(approved).toContain('the e-mail address of c-1042 is ada@example.org now');
  expect(approved).toContain('the CRM holds ada@example.org');
  expect(again).toContain('A person was asked to approve exactly this write');
  expect(again).toContain('the CRM holds ada@old.example');
  expect(down).toContain('no valid decision');
  expect(down).toContain('the CRM holds ada@old.example');
});
