/** Tells how the user can call this program again, for the commands that we print. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** `npx writecheck` in a checkout or a project; `writecheck` if the user's shell finds it. */
export function calledAs(env: NodeJS.ProcessEnv = process.env): string {
  // npm puts its own folders in front of the PATH; the user's shell does not have them.
  const isUnderNpm = env.npm_command !== undefined;
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return !isUnderNpm && folders.some(holdsUs) ? 'writecheck' : 'npx writecheck';
}

function holdsUs(folder: string): boolean {
  try {
    accessSync(join(folder, 'writecheck'), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
