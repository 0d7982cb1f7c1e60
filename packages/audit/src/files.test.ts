import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { keysOf, knownCheckpoints, linesOf } from './files.ts';

const folder = mkdtempSync(join(tmpdir(), 'writecheck-files-'));

test('after a rotation, one setting holds the lines of both keys', async () => {
  const lines = [
    'writecheck+1af5c282+Ac2nCILPX+Y3DRWzYd4CN2eqjSfyWPssVPkRwpg02kRy',
    'writecheck+3c76f950+AViQR1a4QL1Gg7kvibXOkls5wLaf3HxkBmWgjYJo0rsO',
  ];
  expect(await keysOf([`${lines.join('\n')}\n`])).toEqual(lines);
});

test.each(['{"kind":"export"}', '{"checkpoint":5}', '{"checkpoint":'])(
  'a file without checkpoints is not accepted as one of checkpoints: %s',
  async (line) => {
    const file = join(folder, 'known.jsonl');
    writeFileSync(file, `${line}\n`);
    await expect(knownCheckpoints([file])).rejects.toMatchObject({
      exitCode: 2,
      message: `\`${file}\` holds no checkpoints`,
    });
  },
);

test('a compressed file is read as its content, and a truncated or damaged one is never read as a shorter one', async () => {
  const lines = Array.from({ length: 5_000 }, (_, i) => `{"kind":"hash","index":${i}}`);
  const packed = zstdCompressSync(`${lines.join('\n')}\n`, {
    params: { [constants.ZSTD_c_checksumFlag]: 1 },
  });
  const file = join(folder, 'export.ndjson.zst');
  const read = async (bytes: Uint8Array) => {
    writeFileSync(file, bytes);
    const found: string[] = [];
    for await (const { text } of linesOf(file, 'reading')) found.push(text);
    return found;
  };
  expect(await read(packed)).toEqual(lines);
  const damaged = Buffer.from(packed);
  damaged.fill(0xff, damaged.length >> 1, (damaged.length >> 1) + 32);
  for (const bytes of [packed.subarray(0, -5), packed.subarray(0, 40), damaged])
    await expect(read(bytes)).rejects.toMatchObject({
      exitCode: 2,
      message: `\`${file}\` is compressed, and damaged or truncated`,
    });
});

test('reading the first bytes of a pipe loses nothing', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const written = writeFile(pipe, 'first\nsecond\n');
  const found: string[] = [];
  for await (const { text } of linesOf(pipe, 'reading')) found.push(text);
  await written;
  expect(found).toEqual(['first', 'second']);
});
