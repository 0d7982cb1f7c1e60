/**
 * The newest checkpoint in a separate file beside the database: if the database is restored to an earlier state, the
 * file still shows how long the log was.
 */
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = 'newest-checkpoint';

/** A copy or an earlier version may have left it readable by others. */
export function readKeptCheckpoint(folder: string): string | null {
  const file = join(folder, FILE);
  try {
    chmodSync(file, 0o600);
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

export async function keepCheckpointBeside(folder: string, note: string): Promise<void> {
  const file = join(folder, FILE);
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, note, { mode: 0o600 });
  await rename(draft, file);
}

export function dropKeptCheckpoint(folder: string): void {
  rmSync(join(folder, FILE), { force: true });
}
