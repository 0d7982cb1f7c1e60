/** The commands by which a person resolves a first pause, run as the pages print them. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestService } from '../start-service.ts';

const root = join(import.meta.dirname, '../../../..');

/** The shell blocks of a section, in order. */
function commandsOf(page: string, heading: string): string {
  const text = readFileSync(join(root, page), 'utf8');
  const from = text.indexOf(`\n## ${heading}\n`);
  expect(from, heading).toBeGreaterThan(-1);
  const section = text.slice(from, text.indexOf('\n## ', from + 4));
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands).join('');
}

test.each([
  ['README.md', 'A person resolves a pause'],
  ['docs/reviews.md', 'Resolve a first pause'],
])('%s: paused, opened, approved by typing it, and allowed', { timeout: 60_000 }, async (page, heading) => {
  const service = await startTestService();
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-pages-'));
  const entry = join(root, 'packages/cli/bin/writecheck.js');
  writeFileSync(join(folder, 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${entry}" "$@"\n`);
  chmodSync(join(folder, 'npx'), 0o755);
  const script = commandsOf(page, heading)
    .replace('http://127.0.0.1:8080', service.url)
    .replace('wck_dev_…', service.developmentKey)
    .replace('wck_own_…', service.ownerKey);
  const child = spawn('sh', ['-c', script], {
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
  });
  let output = '';
  child.stdout.on('data', (data) => {
    output += data;
  });
  child.stderr.on('data', (data) => {
    output += data;
  });
  child.stdin.end('approve\n');
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code, output).toBe(0);
  expect(output).toContain('agentValue       NET30');
  expect(output).toMatch(/rev_[0-9a-f]{32} is approved/);
  expect(output).toContain('"decision":"allow"');
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});
