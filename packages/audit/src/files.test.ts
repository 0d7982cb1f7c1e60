import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { knownCheckpoints } from './files.ts';

const folder = mkdtempSync(join(tmpdir(), 'writecheck-files-'));

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
