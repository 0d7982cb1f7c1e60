/** Turns any SQLite or file system error into the one failure of the port, with a fix in its message. */
import { COMMON_WORDS, codeOf, unavailableIn, type Why, type Words } from '../failure-words.ts';
import { StoreUnavailable } from '../port.ts';

const WORDS_OF: Words = {
  ...COMMON_WORDS,
  busy: 'the database is locked by another process; stop whatever holds it and try again',
  full: 'the disk or quota of the data folder is full; free some space and try again',
  io: 'the data folder cannot be read or written; check the disk and its permissions',
  corrupt: 'the database file is damaged or not a database; restore it from a backup',
  read_only: 'the data folder is read-only; mount it writable, and let the user of the service write to it',
  timeout: 'the disk did not respond in time; check the disk under the data folder',
  replaced:
    'a file of the database was removed, replaced or overwritten, or a command continued the log; put the file back, or restart the service',
  lost: 'the log lacks entries that were signed; stop the service and restore its data folder',
  moved: 'this store was moved to PostgreSQL; start the service with WRITECHECK_DATABASE_URL instead',
  unknown: 'unexpected database error; see the log of the service',
};

const CODES: readonly (readonly [prefix: string, why: Why])[] = [
  // Only a store that was moved has triggers.
  ['SQLITE_CONSTRAINT_TRIGGER', 'moved'],
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_LOCKED', 'busy'],
  ['SQLITE_FULL', 'full'],
  ['SQLITE_READONLY', 'read_only'],
  ['SQLITE_CORRUPT', 'corrupt'],
  ['SQLITE_NOTADB', 'corrupt'],
  ['SQLITE_IOERR', 'io'],
  ['SQLITE_CANTOPEN', 'io'],
  ['SQLITE_PERM', 'io'],
  ['SQLITE_AUTH', 'io'],
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EROFS', 'read_only'],
  ['EACCES', 'io'],
  ['EPERM', 'io'],
  ['EEXIST', 'io'],
  ['ENOTDIR', 'io'],
  ['EIO', 'io'],
  ['ENOENT', 'replaced'],
];

export const unavailable = unavailableIn(WORDS_OF);

export function toUnavailable(thrown: unknown): StoreUnavailable {
  if (thrown instanceof StoreUnavailable) return thrown;
  const code = codeOf(thrown);
  return unavailable(CODES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'unknown', thrown);
}
