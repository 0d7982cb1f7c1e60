/** Creates a folder and its parents, or says in one sentence why it cannot. */
import { CommandFailure } from '@writecheck/contract/command';
import { makeFolders } from '@writecheck/store/make-folders';

export function makeFolder(folder: string, mode = 0o777): void {
  try {
    makeFolders(folder, mode);
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`the folder \`${path}\` cannot be created (${code}); choose another folder`);
  }
}
