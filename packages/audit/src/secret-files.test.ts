import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSecretFiles } from './secret-files.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'writecheck-secrets-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(content: string): string {
  const path = join(folder, `${content.length}`);
  writeFileSync(path, content);
  return path;
}

test('a secret is read from its file without the line break at its end', () => {
  for (const ending of ['', '\n', '\r\n']) {
    const environment: Record<string, string> = {
      KEY_FILE: fileOf(`s3cret${ending}`),
      OTHER_FILE: '/nowhere',
    };
    readSecretFiles(environment, ['KEY']);
    expect(environment.KEY).toBe('s3cret');
  }
});

test('a file that is named but unusable ends the command, and no message repeats a secret', () => {
  const refused = (environment: Record<string, string>) => {
    try {
      readSecretFiles(environment, ['KEY']);
    } catch (error) {
      return (error as Error).message;
    }
    return null;
  };
  expect(refused({ KEY_FILE: join(folder, 'none') })).toMatch(
    /^KEY_FILE names `.*none`, which cannot be read \(ENOENT\)$/,
  );
  expect(refused({ KEY_FILE: fileOf('') })).toMatch(/which is empty$/);
  expect(refused({ KEY_FILE: fileOf('hidden\nhidden') })).toMatch(/which has more than one line$/);
  expect(refused({ KEY_FILE: fileOf('x'), KEY: 'hidden' })).toBe('set KEY or KEY_FILE, not both');
  expect(refused({ KEY_FILE: '' })).toBeNull();
});
