/** How the store on SQLite calls what it consists of: reads here, writes on the writer thread. */
import { type Archive, withArchive } from '../archive/archive.ts';
import type { LogRows } from '../archive/log-rows.ts';
import { type Append, methodsOf } from '../tables/operation.ts';
import { READS, WRITES } from '../tables/operations.ts';
import type { ThreadCalls } from '../thread-calls.ts';
import type { Db } from './open-database.ts';
import type { Operations } from './operations.ts';
import { prepareReader, type Reader } from './reader.ts';
import { prepareReads } from './run-operation.ts';
import { toUnavailable } from './store-failure.ts';

type Result<Methods, Name extends keyof Methods> = Methods[Name] extends (...args: never[]) => infer Found
  ? Found
  : never;

async function failing<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw toUnavailable(thrown);
  }
}

export class StoreCalls {
  readonly #writer: ThreadCalls;
  readonly #reader: Reader;
  readonly #archive: Archive;
  /** Operations on the tables that only read, or that append nothing. */
  readonly reads;
  readonly writes;

  constructor(db: Db, writer: ThreadCalls, archive: Archive) {
    this.#writer = writer;
    this.#reader = prepareReader(db);
    this.#archive = archive;
    const run = prepareReads(db);
    this.reads = methodsOf(READS, (_, start) => failing(() => run(start())));
    this.writes = methodsOf(WRITES, this.writeTable);
  }

  /** An operation on the tables, on the writer thread. */
  readonly writeTable = (
    name: string,
    _: () => Append<unknown>,
    args: readonly unknown[],
  ): Promise<unknown> => this.#writer.call('operate', name, ...args);

  write<Name extends keyof Operations>(name: Name) {
    return (...args: Parameters<Operations[Name]>) =>
      this.#writer.call(name, ...args) as Promise<ReturnType<Operations[Name]>>;
  }

  read<Name extends keyof Reader>(name: Name) {
    return (...args: Parameters<Reader[Name]>) => failing(() => this.#call(name, args));
  }

  /** For what may be in the archive. */
  readLog<Name extends 'segments' | 'findDecision'>(name: Name) {
    return (...args: Parameters<Reader[Name]>) =>
      failing(() => withArchive(this.#archive, () => this.#call(name, args)));
  }

  get rows(): LogRows {
    return {
      logs: this.read('logs'),
      newestCheckpoint: this.reads.newestCheckpoint,
      storedRows: this.read('storedRows'),
      recut: this.write('recut'),
    };
  }

  #call<Name extends keyof Reader>(name: Name, args: readonly unknown[]): Result<Reader, Name> {
    return (this.#reader[name] as (...args: readonly unknown[]) => Result<Reader, Name>)(...args);
  }
}
