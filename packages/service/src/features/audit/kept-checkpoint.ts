/**
 * The newest checkpoint in a separate file beside the database: if the database is restored to an earlier state, the
 * file still shows how long the log was.
 */
import { randomUUID } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClockAnchor } from '../../support/clocks/clock-reference.ts';
import { LogRefused } from './log-refused.ts';

/** A file of the data folder. */
export const KEPT_CHECKPOINT = 'newest-checkpoint';

export interface KeptCheckpoint {
  readonly note: string;
  /** Logs that continued another log at that time; null if an earlier version wrote the file. */
  readonly continuations: readonly string[] | null;
  /** Shows after a restart whether the clock was set ahead. */
  readonly clock: ClockAnchor | null;
}

/** Null if there is none. INVARIANT: throws `LogRefused` if it cannot be read, because the database may be an old one. */
export function readKeptCheckpoint(folder: string): KeptCheckpoint | null {
  const file = join(folder, KEPT_CHECKPOINT);
  try {
    const text = readFileSync(file, 'utf8');
    hideFromOthers(file);
    return parse(text);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new LogRefused(
      `the checkpoint \`${file}\` cannot be read (${code}), and without it nothing shows whether the database is an old one; make it a file that the service's user can read`,
    );
  }
}

/** A copy or an earlier version may have left it readable by others. */
function hideFromOthers(file: string): void {
  try {
    chmodSync(file, 0o600);
  } catch {
    // The file of another user; it holds no secret.
  }
}

/** The note, then one line of JSON. A line that cannot be read is treated as part of the note, which then is invalid. */
function parse(text: string): KeptCheckpoint {
  const at = text.lastIndexOf('\n{') + 1;
  if (at === 0) return { note: text, continuations: null, clock: null };
  try {
    const { continuations, clock } = JSON.parse(text.slice(at)) as Omit<KeptCheckpoint, 'note'>;
    return { note: text.slice(0, at), continuations, clock };
  } catch {
    return { note: text, continuations: null, clock: null };
  }
}

export async function keepCheckpointBeside(
  folder: string,
  { note, continuations, clock }: KeptCheckpoint,
): Promise<void> {
  const file = join(folder, KEPT_CHECKPOINT);
  // A process may write two concurrently.
  const draft = `${file}.${process.pid}-${randomUUID()}`;
  await writeFile(draft, `${note}${JSON.stringify({ continuations, clock })}\n`, { mode: 0o600 });
  await rename(draft, file);
}

export function dropKeptCheckpoint(folder: string): void {
  rmSync(join(folder, KEPT_CHECKPOINT), { force: true });
}

/** Removes files of processes that were killed while writing them. */
export function dropDrafts(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const pid = name.startsWith(`${KEPT_CHECKPOINT}.`)
        ? Number.parseInt(name.slice(KEPT_CHECKPOINT.length + 1), 10)
        : Number.NaN;
      if (Number.isInteger(pid) && pid > 0 && !isRunning(pid)) rmSync(join(folder, name));
    }
  } catch {
    // They do no harm.
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
