import { expect, test } from 'vitest';
import { diskLook } from './watch-disk.ts';

test('a disk that is nearly full is said once, and once that it has room again, however often it is looked at', () => {
  const said: string[] = [];
  const look = diskLook({
    warn: (_: unknown, words?: string) => said.push(`warn ${words}`),
    info: (_: unknown, words?: string) => said.push(`info ${words}`),
  } as never);
  for (const freeBytes of [9e9, 499e6, 1e6, 0, 501e6, 999e6, 400e6]) look(freeBytes);
  expect(said).toEqual([expect.stringContaining('warn the disk of the data folder is nearly full')]);
  for (const freeBytes of [1e9, 9e9, 600e6]) look(freeBytes);
  expect(said.slice(1)).toEqual(['info the disk of the data folder has room again']);
  look(1);
  expect(said).toHaveLength(3);
});

test('a database whose disk nobody here knows says nothing', () => {
  diskLook({} as never)(null);
});
