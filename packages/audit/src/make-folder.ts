/** Creates a folder and its parents, or says in one sentence why it cannot. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { undetermined } from './fail.ts';

/** One at a time, without `recursive`: in a file system like /proc, Node would retry forever. */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let path = resolve(folder); !existsSync(path) && path !== dirname(path); path = dirname(path)) {
    missing.unshift(path);
  }
  for (const path of missing) {
    try {
      mkdirSync(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      throw undetermined(`the folder \`${path}\` cannot be created (${code}); choose another folder`);
    }
  }
}
