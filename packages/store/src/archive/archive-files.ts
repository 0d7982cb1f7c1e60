/** The interface to the place of an archive's files, and its implementation for a folder. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface ArchiveFiles {
  /** Null if the file does not exist. */
  read(name: string): Promise<Buffer | null>;
  /** Durable when it resolves; a reader sees the file before or after, never in between. */
  write(name: string, bytes: Uint8Array): Promise<void>;
}

export function folderFiles(folder: string): ArchiveFiles {
  return {
    async read(name) {
      try {
        return await readFile(join(folder, name));
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw thrown;
      }
    },
    async write(name, bytes) {
      const path = join(folder, name);
      const firstMade = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const passing = `${path}.${randomBytes(4).toString('hex')}.new`;
      const file = await open(passing, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(passing, path);
      const top = dirname(firstMade ?? path);
      for (let at = dirname(path); ; at = dirname(at)) {
        await syncFolder(at);
        if (at === top) return;
      }
    },
  };
}

/** Makes the names in a folder durable: those of its files, and of folders created in it. */
async function syncFolder(folder: string): Promise<void> {
  const held = await open(folder, 'r');
  try {
    await held.sync();
  } finally {
    await held.close();
  }
}
