/** Reads the controls that fit an intent; reads nothing unless every one of them can be read. */
import type { SignedEvidence } from '@writecheck/client/evidence';
import type { JsonObject, WriteIntent } from '@writecheck/contract';
import type { Control, ReaderConfig } from './config.ts';
import { FactsUnavailable, nameOf, READS_AT_ONCE_MAX } from './failures.ts';
import { prepareHttp } from './http.ts';
import { type PostgresReader, postgresReader } from './postgres.ts';
import { checkFacts, type ReadFacts, seenIntent, signFacts } from './sign.ts';
import { prepareSql } from './sql.ts';
import { SqliteProcesses } from './sqlite.ts';

export type ReadOutcome<T> =
  | { readonly kind: 'read'; readonly items: readonly T[] }
  | { readonly kind: 'none_fits' | 'busy' }
  | { readonly kind: 'unavailable'; readonly controlId: string; readonly why: string };

/** Called after each read, with the error if there was one. */
export type Observe = (controlId: string, why: string | null, durationMs: number) => void;

export class Reader {
  readonly #config: ReaderConfig;
  readonly #sqlite = new SqliteProcesses();
  /** Pools by URL. A pool has room for every concurrent read. */
  readonly #pools = new Map<string, PostgresReader>();
  #reading = 0;

  constructor(config: ReaderConfig) {
    this.#config = config;
  }

  /** `named` limits it to these controls. Throws an `UnusableMember` before anything is read. */
  async read(
    intent: WriteIntent,
    named: readonly string[] | null,
    observe: Observe = () => undefined,
  ): Promise<ReadOutcome<ReadFacts>> {
    const fitting = this.#config.controls.filter(({ fits }) => fits(intent));
    const wanted = named === null ? fitting : fitting.filter(({ id }) => named.includes(id));
    if (wanted.length === 0 || (named !== null && wanted.length !== new Set(named).size))
      return { kind: 'none_fits' };
    const reads = wanted.map((control) => ({ control, read: this.#prepare(control, intent) }));
    if (this.#reading >= READS_AT_ONCE_MAX) return { kind: 'busy' };
    this.#reading += 1;
    try {
      const items: ReadFacts[] = [];
      // One after another, so that a request is one read at any moment.
      for (const { control, read } of reads) {
        const startedMs = performance.now();
        const checkedAt = new Date();
        const facts = await readFacts(read);
        const why = facts instanceof FactsUnavailable ? facts.why : null;
        observe(control.id, why, performance.now() - startedMs);
        if (facts instanceof FactsUnavailable) return unavailable(control, facts);
        items.push({ control, facts, checkedAt });
      }
      return { kind: 'read', items };
    } finally {
      this.#reading -= 1;
    }
  }

  /** Reads as `read` does; signs only if every control could be read. */
  async sign(
    intent: WriteIntent,
    named: readonly string[] | null,
    observe?: Observe,
  ): Promise<ReadOutcome<SignedEvidence>> {
    const outcome = await this.read(intent, named, observe);
    if (outcome.kind !== 'read') return outcome;
    const items: SignedEvidence[] = [];
    for (const item of outcome.items) {
      try {
        items.push(await signFacts(this.#config, intent, item));
      } catch (error) {
        if (error instanceof FactsUnavailable) return unavailable(item.control, error);
        throw error;
      }
    }
    return { kind: 'read', items };
  }

  async close(): Promise<void> {
    this.#sqlite.close();
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
  }

  #prepare({ source, bind }: Control, intent: WriteIntent): () => Promise<JsonObject> {
    const seen = seenIntent(intent, bind);
    if (source.kind === 'http') return prepareHttp(source, seen);
    const { database } = source;
    if (database.kind === 'sqlite') return prepareSql(source, seen, this.#sqlite.readerOf(database.file));
    const pool = this.#pools.get(database.url) ?? postgresReader(database.host);
    this.#pools.set(database.url, pool);
    return prepareSql(source, seen, pool);
  }
}

async function readFacts(read: () => Promise<JsonObject>): Promise<JsonObject | FactsUnavailable> {
  try {
    const facts = await read();
    checkFacts(facts);
    return facts;
  } catch (error) {
    return error instanceof FactsUnavailable
      ? error
      : new FactsUnavailable(`the read failed: ${nameOf(error)}`);
  }
}

function unavailable({ id }: { readonly id: string }, { why }: FactsUnavailable): ReadOutcome<never> {
  return { kind: 'unavailable', controlId: id, why };
}
