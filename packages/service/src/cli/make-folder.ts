/** Creates a folder and its parents, or says in one sentence why it cannot. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CommandFailure } from './fail.ts';

/** Without `recursive`: in a file system like /proc, Node would retry for ever. */
export function makeFolder(folder: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let path = resolve(folder); !existsSync(path) && path !== dirname(path); path = dirname(path)) {
    missing.unshift(path);
  }
  for (const path of missing) {
    try {
      mkdirSync(path, { mode });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      throw new CommandFailure(`the folder \`${path}\` cannot be made (${code}); choose another place`);
    }
  }
}
