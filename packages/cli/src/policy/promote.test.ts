import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileOf } from './promote.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'writecheck-promote-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the file that holds a profile is read unchanged, with its byte order mark', async () => {
  const text = '\ufeff# café\r\nkind: Profile\r\nid: p\r\n';
  writeFileSync(join(folder, 'a.yaml'), 'kind: Profile\nid: other\n');
  writeFileSync(join(folder, 'b.yaml'), text);
  expect(await fileOf('p', folder)).toEqual({ path: join(folder, 'b.yaml'), text });
  await expect(fileOf('nobody', folder)).rejects.toThrow('no file in');
});

test('a file in another encoding is refused, since a diff of it would not apply', async () => {
  writeFileSync(join(folder, 'a.yaml'), Buffer.from('# café\nkind: Profile\nid: p\n', 'latin1'));
  await expect(fileOf('p', folder)).rejects.toThrow('`a.yaml` is not valid UTF-8');
});
