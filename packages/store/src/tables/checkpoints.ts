/** Signed checkpoints, and the verifier keys that were ever published. */
import type { StoredCheckpoint } from '../port/log.ts';
import { insertion, type Read, sql, type Write } from './operation.ts';

export const TABLES = `
-- The newest checkpoint of each log.
CREATE TABLE writecheck.checkpoint (
  log text PRIMARY KEY,
  size bigint NOT NULL,
  note text NOT NULL,
  frontier bytea NOT NULL
) WITHOUT ROWID;

CREATE TABLE writecheck.verifier_key (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  line text NOT NULL UNIQUE,
  published_ms bigint NOT NULL
);
`;

export function* newestCheckpoint(log: string): Read<StoredCheckpoint | null> {
  const [row] =
    yield* sql<StoredCheckpoint>`SELECT log, size, note, frontier FROM writecheck.checkpoint WHERE log = ${log}`;
  return row ?? null;
}

/** Keeps it as the newest of its log; one that is not larger than the kept one changes nothing. */
export function* keepCheckpoint({ log, size, note, frontier }: StoredCheckpoint): Write<void> {
  yield* sql`INSERT INTO writecheck.checkpoint AS c ${insertion({ log, size, note, frontier })}
    ON CONFLICT (log) DO UPDATE SET size = excluded.size, note = excluded.note, frontier = excluded.frontier
    WHERE excluded.size > c.size`;
}

/** Every verifier key line ever published, newest first. */
export function* verifierKeys(): Read<readonly string[]> {
  const rows = yield* sql<{
    readonly line: string;
  }>`SELECT line FROM writecheck.verifier_key ORDER BY number DESC`;
  return rows.map(({ line }) => line);
}

/** Publishing a line twice changes nothing. */
export function* publishVerifierKey(line: string, nowMs: number): Write<void> {
  yield* sql`INSERT INTO writecheck.verifier_key ${insertion({ line, published_ms: nowMs })} ON CONFLICT DO NOTHING`;
}
