/** All write operations, by name: what the writer thread can do. */
import { StoreUnavailable } from '../port.ts';
import type { Append } from '../tables/operation.ts';
import { APPENDING, WRITES } from '../tables/operations.ts';
import { type ArrivedGroup, packOutcomes, unpackRequests } from './arrived-group.ts';
import { prepareCommit } from './commit.ts';
import type { PackedGroup, PackedOutcomes } from './commit-wire.ts';
import { prepareLogKeeping } from './log-keeping.ts';
import type { Db } from './open-database.ts';
import { recoverRedemptions } from './recover-redemptions.ts';
import { prepareWrites } from './run-operation.ts';
import { toUnavailable } from './store-failure.ts';

const TABLE_WRITES = { ...WRITES, ...APPENDING };

/** The log that grows: the newest one in the file. */
export function openLog(db: Db): string {
  return db.prepare('SELECT log FROM log ORDER BY base DESC, log LIMIT 1').pluck().get() as string;
}

export function prepareOperations(db: Db) {
  recoverRedemptions(db);
  const writes = {
    ...prepareLogKeeping(db),
    /** Takes the write lock and releases it: fails if a write would. */
    probe(): void {
      db.prepare('UPDATE log SET size = size WHERE log = ?').run(openLog(db));
    },
  };
  // Typed by name on both sides of the thread; inside, every operation is one immediate transaction.
  const transactional = Object.fromEntries(
    Object.entries(writes).map(([name, write]) => [
      name,
      (...args: unknown[]) =>
        db.transaction(() => (write as (...args: unknown[]) => unknown)(...args)).immediate(),
    ]),
  ) as unknown as typeof writes;
  const commitGroups = prepareCommit(db, openLog(db));
  const run = prepareWrites(db, openLog(db));
  return {
    ...transactional,
    /** An operation on the tables, by its name in the lists that both threads know. */
    operate: (name: keyof typeof TABLE_WRITES, ...args: readonly unknown[]): unknown =>
      run((TABLE_WRITES[name] as (...args: readonly unknown[]) => Append<unknown>)(...args)),
    /** One transaction and one sync for the groups of all threads: for each its outcomes, or why there are none. */
    commitTogether(packed: readonly PackedGroup[]): readonly (PackedOutcomes | StoreUnavailable)[] {
      const groups = packed.map(arrived);
      const results = commitGroups(groups.filter((group) => 'requests' in group));
      let next = 0;
      return groups.map((group) => {
        if (group instanceof StoreUnavailable) return group;
        const result = results[next++]!;
        return result.kind === 'late' ? result.failure : packOutcomes(result.results, group.requests);
      });
    },
  };
}

/** A group that cannot be read fails alone. */
function arrived(packed: PackedGroup): ArrivedGroup | StoreUnavailable {
  try {
    return unpackRequests(packed);
  } catch (thrown) {
    return toUnavailable(thrown);
  }
}

export type Operations = ReturnType<typeof prepareOperations>;
