import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keysOf, knownCheckpoints } from './files.ts';

const folder = mkdtempSync(join(tmpdir(), 'writecheck-files-'));

test('after a rotation, one setting holds the lines of both keys', async () => {
  const lines = [
    'writecheck+1af5c282+Ac2nCILPX+Y3DRWzYd4CN2eqjSfyWPssVPkRwpg02kRy',
    'writecheck+3c76f950+AViQR1a4QL1Gg7kvibXOkls5wLaf3HxkBmWgjYJo0rsO',
  ];
  expect(await keysOf([`${lines.join('\n')}\n`])).toEqual(lines);
});

test.each(['{"kind":"export"}', '{"checkpoint":5}', '{"checkpoint":'])(
  'a file without checkpoints is not taken for one of a witness: %s',
  async (line) => {
    const file = join(folder, 'known.jsonl');
    writeFileSync(file, `${line}\n`);
    await expect(knownCheckpoints([file])).rejects.toMatchObject({
      exitCode: 2,
      message: `\`${file}\` is not a witness file`,
    });
  },
);
