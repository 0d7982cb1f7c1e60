/** The databases that controls read, each opened once however many controls read it. */
import type { DatabaseHost } from '@writecheck/store/database-url';
import { type PostgresReader, postgresReader } from './postgres-source.ts';
import { SqliteProcesses } from './sqlite-source.ts';
import type { SqlReader } from './table.ts';

export type Database =
  | { readonly kind: 'sqlite'; readonly file: string }
  /** `url` is unchanged from the configuration, including its encryption parameters. */
  | { readonly kind: 'postgres'; readonly url: string; readonly host: DatabaseHost };

export class Databases {
  readonly #sqlite = new SqliteProcesses();
  /** Pools by URL. A pool has room for every concurrent read. */
  readonly #postgres = new Map<string, PostgresReader>();

  readerOf(database: Database): SqlReader {
    return database.kind === 'sqlite' ? this.#sqlite.readerOf(database.file) : this.#poolOf(database);
  }

  /** Whether the role that reads it could also write; null if unknown. A file is opened read-only. */
  async mayWrite(database: Database): Promise<boolean | null> {
    return database.kind === 'postgres' && this.#poolOf(database).mayWrite();
  }

  /** Starts a process before the first read of a file needs it. */
  warm(databases: readonly Database[]): void {
    if (databases.some(({ kind }) => kind === 'sqlite')) void this.#sqlite.warm();
  }

  async close(): Promise<void> {
    this.#sqlite.close();
    await Promise.all([...this.#postgres.values()].map((pool) => pool.close()));
  }

  #poolOf({ url, host }: Database & { readonly kind: 'postgres' }): PostgresReader {
    const pool = this.#postgres.get(url) ?? postgresReader(host);
    this.#postgres.set(url, pool);
    return pool;
  }
}
