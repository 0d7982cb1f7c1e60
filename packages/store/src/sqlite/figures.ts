/** The size of the data folder and of the disk it is on. */
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreFigures } from '../port/figures.ts';
import type { Db } from './open-database.ts';

export async function folderFigures(
  folder: string,
): Promise<Pick<StoreFigures, 'databaseBytes' | 'diskFreeBytes'>> {
  const sizes = await Promise.all(
    // A file may be gone by now: SQLite removes and creates its own.
    (await readdir(folder)).map((name) =>
      stat(join(folder, name)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0,
      ),
    ),
  );
  const { bavail, bsize } = await statfs(folder);
  return { databaseBytes: sizes.reduce((sum, size) => sum + size, 0), diskFreeBytes: bavail * bsize };
}

/**
 * How many responses are kept. They expire in about the order of their arrival, so few numbers in between are
 * free.
 */
export function answerRows(db: Db): number {
  const rows = db.prepare('SELECT coalesce(max(number) - min(number) + 1, 0) FROM idempotency').pluck();
  return rows.get() as number;
}
