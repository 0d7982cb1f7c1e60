/** Detects that the database, or a file beside it, is no longer the one that was opened with the store. */
import { randomInt } from 'node:crypto';
import { fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { unavailable } from './store-failure.ts';

/** The footprint of one store's files, which no other store has; every thread that works on them gets it. */
export interface Footprint {
  readonly path: string;
  /** The descriptor of the database itself, for reading its header. */
  readonly fd: number;
  readonly identity: string;
  readonly generation: number;
}

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const SCHEMA_AT = 40;
const VERSION_AT = 60;
const GENERATION_AT = 68;
const FIRST_GENERATION_MAX = 2 ** 30;
/** The write-ahead log begins with one of these two; the last bit gives the byte order of its checksums. */
const LOG_MAGIC = 0x377f0682;
const LOG_HEADER_BYTES = 32;

function idOf(found: Stats | undefined): string {
  return found === undefined ? 'none' : `${found.dev}:${found.ino}`;
}
function find(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function identityOf(path: string, database: Stats | undefined): string {
  return `${idOf(database)} ${idOf(find(`${path}-wal`))} ${idOf(find(`${path}-shm`))}`;
}

/** One for each database and never closed: closing it would drop the locks that SQLite holds on the file. */
const descriptors = new Map<string, number>();

function descriptorOf(path: string): number {
  const name = idOf(find(path));
  let fd = descriptors.get(name);
  if (fd === undefined) {
    fd = openSync(path, 'r');
    descriptors.set(idOf(fstatSync(fd)), fd);
  }
  return fd;
}

/** The schema version in the file itself, without a connection, which would create files beside it; null if it has no header. */
export function versionInHeader(path: string): number | null {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const isWhole = readSync(descriptorOf(path), bytes, 0, HEADER_BYTES, 0) === HEADER_BYTES;
  return isWhole && bytes.toString('latin1', 0, MAGIC.length) === MAGIC
    ? bytes.readUInt32BE(VERSION_AT)
    : null;
}

interface Header {
  readonly generation: number;
  readonly schema: number;
}

/** The header in the file itself, without the write-ahead log; null if the file is too short to be a database. */
function headerIn(fd: number): Header | null {
  const bytes = Buffer.alloc(HEADER_BYTES);
  if (readSync(fd, bytes, 0, HEADER_BYTES, 0) < HEADER_BYTES) return null;
  return { generation: bytes.readInt32BE(GENERATION_AT), schema: bytes.readUInt32BE(SCHEMA_AT) };
}

/**
 * Counts in the header how often the database may have been written to, from a random start: another database has
 * another number, an earlier copy of this one a lower one. INVARIANT: it is advanced before each checkpoint, because
 * only checkpoints write to the file.
 */
export function advanceGeneration(db: Database): void {
  db.transaction(() => {
    const now = db.pragma('application_id', { simple: true }) as number;
    db.pragma(`application_id = ${now > 0 ? now + 1 : randomInt(1, FIRST_GENERATION_MAX)}`);
  }).immediate();
}

/** INVARIANT: a connection keeps the write-ahead log open, so it stays the same file as long as the store is open. */
export function footprintOf(path: string): Footprint {
  const fd = descriptorOf(path);
  const header = headerIn(fd);
  if (header === null) throw unavailable('corrupt');
  return { path, fd, identity: identityOf(path, find(path)), generation: header.generation };
}

export class SameFiles {
  readonly #print: Footprint;
  #generation: number;
  #looked = '';
  #isOverwritten = false;
  #log: number | null = null;
  readonly #logHeader = Buffer.alloc(LOG_HEADER_BYTES);

  constructor(print: Footprint) {
    this.#print = print;
    this.#generation = print.generation;
  }

  /** Throws if a file was removed or replaced. */
  requireIdentity(): Stats {
    const { path, identity } = this.#print;
    const database = find(path);
    if (database === undefined || identityOf(path, database) !== identity) throw unavailable('replaced');
    return database;
  }

  /**
   * Throws if `requireIdentity` does, or if the database was overwritten in place or the write-ahead log was emptied;
   * then it always throws. `db` is an open connection to the database.
   */
  require(db: Database): void {
    const { size, ctimeMs } = this.requireIdentity();
    const looked = `${size} ${ctimeMs}`;
    if (looked !== this.#looked) {
      this.#isOverwritten ||= !this.#isExpected(db);
      this.#looked = looked;
    }
    this.#isOverwritten ||= !this.#hasItsLog(db);
    if (this.#isOverwritten) throw unavailable('replaced');
  }

  /**
   * The file may lag behind what the connection sees in the write-ahead log, but never behind its own earlier state.
   */
  #isExpected(db: Database): boolean {
    const header = headerIn(this.#print.fd);
    if (header === null || header.generation < this.#generation) return false;
    this.#generation = header.generation;
    return (
      header.generation <= (db.pragma('application_id', { simple: true }) as number) &&
      header.schema <= (db.pragma('schema_version', { simple: true }) as number)
    );
  }

  /**
   * If the log was truncated to nothing, the next commit creates a file with a hole in place of its header. An empty
   * log is right only if SQLite knows of nothing in it.
   */
  #hasItsLog(db: Database): boolean {
    this.#log ??= openSync(`${this.#print.path}-wal`, 'r');
    if (readSync(this.#log, this.#logHeader, 0, LOG_HEADER_BYTES, 0) === LOG_HEADER_BYTES)
      return (this.#logHeader.readUInt32BE(0) & ~1) === LOG_MAGIC;
    const [{ log }] = db.pragma('wal_checkpoint(NOOP)') as [{ readonly log: number }];
    return log <= 0;
  }

  /** Whether only the write-ahead log is missing: then its contents can still be saved. */
  lacksOnlyTheLog(): boolean {
    const { path, identity } = this.#print;
    const [database, , shared] = identity.split(' ');
    return (
      idOf(find(path)) === database &&
      idOf(find(`${path}-shm`)) === shared &&
      find(`${path}-wal`) === undefined
    );
  }
}
