/** The name of a file in a diff, so that `git apply` finds the file whatever path it was given by. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

export interface DiffPath {
  /** Uses `/`, and is never absolute or outside the root, which `git apply` refuses. */
  readonly name: string;
  /** The folder to apply the diff in, if it does not apply in the working folder. */
  readonly applyIn: string | null;
}

/** `git apply` reads names from the root of a Git work tree, even in a folder below it, or else from the working folder. */
export function diffPath(file: string, workingFolder: string): DiffPath {
  const folder = realpathSync(dirname(file));
  const path = join(folder, basename(file));
  const working = realpathSync(workingFolder);
  const root = workTreeOf(folder) ?? (isBelow(working, path) ? working : folder);
  return {
    name: relative(root, path).split(sep).join('/'),
    // In a subfolder, `git apply` silently ignores everything outside it.
    applyIn: isBelow(working, path) && isBelow(root, join(working, 'x')) ? null : root,
  };
}

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

function workTreeOf(folder: string): string | null {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? null : workTreeOf(parent);
}
