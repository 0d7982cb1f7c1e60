import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { witnessCommand } from './witness.ts';

const KEY = 'writecheck+e84ffca8+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c';

test.each([[[KEY]], [undefined]])(
  'a service that cannot be reached leaves no folder behind',
  async (keys) => {
    const out = join(mkdtempSync(join(tmpdir(), 'writecheck-witness-')), 'kept');
    const options = keys === undefined ? { out } : { out, keys };
    await expect(witnessCommand('http://127.0.0.1:1', options)).rejects.toMatchObject({ exitCode: 2 });
    expect(existsSync(out)).toBe(false);
  },
);
