/** The same operations on SQLite and on PostgreSQL: a caller cannot tell which one responds. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgresStore } from '@writecheck/store/postgres/postgres-store';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { quickFolder, startTestServer } from '../../../store/test/test-postgres.ts';
import { compareStores, type SameAnswers } from './same-answers.ts';

export const tortureStores = async (
  folder: string,
  operations: number,
  seed: number,
): Promise<SameAnswers> => {
  const server = await startTestServer({ parent: quickFolder() });
  const sqlite = await openSqliteStore(folder);
  // The leaf of every record names its log, so both logs need the same name.
  const postgres = await openPostgresStore(await server.newServiceDatabase(), { newLog: () => sqlite.log });
  try {
    return await compareStores([sqlite, postgres], operations, seed);
  } finally {
    await Promise.all([sqlite.close(), postgres.close()]);
    await server.remove();
    rmSync(folder, { recursive: true });
  }
};

/** Runs `npm run torture -- stores [operations] [seed]`. */
export const torture = async (args: readonly string[]) => {
  const [operations = 1_000_000, seed = Date.now() % 2 ** 32] = args.map(Number);
  const { faults, digest, refused } = await tortureStores(
    mkdtempSync(join(quickFolder(), 'writecheck-same-')),
    operations,
    seed,
  );
  return {
    claim: 'SQLite and PostgreSQL answer the same operations with the same bytes',
    count: `${operations} operations, ${refused} refused by both, answers ${digest.slice(0, 16)}`,
    seed: String(seed),
    faults,
  };
};
