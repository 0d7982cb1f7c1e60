import os from 'node:os';
import { expect, test, vi } from 'vitest';
import { operator } from './the-operator.ts';

vi.mock('node:os', { spy: true });

test('an operator without a name in the system is named by number', () => {
  expect(operator().id).toBe(os.userInfo().username);
  vi.mocked(os.userInfo).mockImplementation(() => {
    throw new Error('ENOENT: no such file or directory, uv_os_get_passwd');
  });
  expect(operator()).toEqual({ kind: 'operator', id: `uid ${process.getuid?.()}` });
});
