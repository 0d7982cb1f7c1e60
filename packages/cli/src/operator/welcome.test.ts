import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasConsole } from '@writecheck/service/edge/console-files';
import { expect, test } from 'vitest';
import { listening, welcome } from './welcome.ts';

test('a missing console is mentioned last, with the command that builds it', () => {
  expect(listening('http://127.0.0.1:8080', true)).toBe('writecheck listens on http://127.0.0.1:8080\n');
  const shown = listening('http://127.0.0.1:8080', false);
  expect(shown).toMatch(/^writecheck listens on http:\/\/127\.0\.0\.1:8080\n/);
  expect(shown).toMatch(/The console is not built[^\n]*\n {2}npm run build --workspace packages\/console\n$/);
});

test('a console without its page counts as missing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-console-'));
  expect(await hasConsole(folder)).toBe(false);
  writeFileSync(join(folder, 'index.html'), '');
  expect(await hasConsole(folder)).toBe(true);
});

test('the command for a live key names the folder of the store, unless it is the usual one', () => {
  const made = {
    workspace: { id: 'ws_1', name: 'default', createdAtMs: 1, liveGranted: false },
    ownerKey: 'o',
    developmentKey: 'd',
  };
  const owner = { shown: 'o', advice: '', inShell: null };
  const shown = (data: string | null) => welcome(made, 'http://127.0.0.1:8080', [], owner, false, data);
  const command = 'keys create --kind live --name NAME';
  expect(shown('/var/lib/it')).toContain(`${command} --data '/var/lib/it'\n`);
  for (const usual of ['./.writecheck', null]) expect(shown(usual)).toContain(`${command}\n`);
});
