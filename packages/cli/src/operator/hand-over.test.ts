import { mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { handOver } from './hand-over.ts';

const KEY = 'wck_own_0123';

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "writecheck-hand-over's-"));
}

test('on a terminal the owner key is shown, and no file holds it', () => {
  const folder = newFolder();
  expect(handOver(KEY, folder, true)).toMatchObject({ shown: KEY, inShell: KEY });
  expect(() => statSync(join(folder, 'owner-key'))).toThrow('ENOENT');
});

test('without a terminal, a file of mode 0600 holds it, whatever was there before', () => {
  const folder = newFolder();
  const file = join(folder, 'owner-key');
  const elsewhere = join(newFolder(), 'public');
  writeFileSync(elsewhere, '', { mode: 0o644 });
  symlinkSync(elsewhere, file);
  for (let round = 0; round < 2; round += 1) {
    const { shown, advice, inShell } = handOver(KEY, folder, false);
    expect(shown).toBe(`written to ${file}`);
    expect(shown + advice + inShell).not.toContain(KEY);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([`${KEY}\n`, 0o600]);
  }
  expect(readFileSync(elsewhere, 'utf8')).toBe('');
});

test('if the file cannot be written, the key is not shown, and the advice says how to create another', () => {
  const { shown, advice, inShell } = handOver(KEY, '/nowhere/at/all', false);
  expect([shown, inShell]).toEqual(['not shown', null]);
  expect(advice).toMatch(
    /`\/nowhere\/at\/all\/owner-key` cannot be written \(ENOENT\)[\s\S]*keys create --kind owner/,
  );
});
