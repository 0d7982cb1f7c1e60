import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { whyNotBuilt } from '../../../console/console-build.ts';
import { hasConsole } from '../http/console-files.ts';
import { listening } from './welcome.ts';

test('a console that is missing is named last, with the command that builds it', () => {
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

test('why a console was not built is one line, without advice that is for another situation', () => {
  const native = new Error(
    'Cannot find native binding. npm has a bug related to optional dependencies. Please try `npm i` again after removing both package-lock.json and node_modules directory.',
  );
  expect(whyNotBuilt(native)).toMatch(
    /^the console was not built \(Cannot find native binding\), and .* run `npm ci` on this machine$/,
  );
  expect(whyNotBuilt(new Error('no such file\n    at there'))).toBe(
    'the console was not built (no such file), and the service starts without it; run `npm run build --workspace packages/console` to see the whole error',
  );
});
