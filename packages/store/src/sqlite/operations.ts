/** All write operations, by name: what the writer thread can do. */

import type { NewOutcome } from '../port/outcomes.ts';
import { type Continuation, StoreUnavailable } from '../port.ts';
import type { Append } from '../tables/operation.ts';
import { APPENDING, INNER, WRITES } from '../tables/operations.ts';
import { judgeOutcomes } from '../tables/outcomes.ts';
import { type ArrivedGroup, packRecorded, packResults, unpackRequests } from './arrived-group.ts';
import { prepareCommit } from './commit.ts';
import type { PackedGroup, PackedResults } from './commit-wire.ts';
import { continueLogs } from './continue-logs.ts';
import { prepareFirstOutcomes } from './first-outcomes.ts';
import { type Db, openLog } from './open-database.ts';
import { recoverRedemptions } from './recover-redemptions.ts';
import { prepareSteps, prepareWrites } from './run-operation.ts';
import { toUnavailable } from './store-failure.ts';

const TABLE_WRITES = { ...WRITES, ...APPENDING, ...INNER.writes, ...INNER.appending };

/** `storesAtMost`: the bytes a day of a workspace that has ceilings; null if none has. */
export function prepareOperations(db: Db, storesAtMost: number | null) {
  recoverRedemptions(db);
  const immediately =
    <Args extends readonly unknown[], Result>(write: (...args: Args) => Result) =>
    (...args: Args): Result =>
      db.transaction(() => write(...args)).immediate();
  const runSteps = prepareSteps(db, openLog(db), storesAtMost);
  const insertFirsts = prepareFirstOutcomes(db);
  const judge = (outcomes: readonly NewOutcome[]) => runSteps(judgeOutcomes(outcomes, insertFirsts));
  const commitGroups = prepareCommit(db, openLog(db), judge, storesAtMost);
  const run = prepareWrites(db, runSteps);
  return {
    continueLogs: immediately((continuations: readonly Continuation[]) => continueLogs(db, continuations)),
    /** Takes the write lock and releases it: fails if a write would. */
    probe: immediately(() => void db.prepare('UPDATE log SET size = size WHERE log = ?').run(openLog(db))),
    /** An operation on the tables, by its name in the lists that both threads know. */
    operate: (name: keyof typeof TABLE_WRITES, ...args: readonly unknown[]): unknown =>
      run((TABLE_WRITES[name] as (...args: readonly unknown[]) => Append<unknown>)(...args)),
    /** One transaction and one sync for the groups of all threads: for each its outcomes, or why there are none. */
    commitTogether(packed: readonly PackedGroup[]): readonly (PackedResults | StoreUnavailable)[] {
      const groups = packed.map(arrived);
      const results = commitGroups(groups.filter((group) => 'requests' in group));
      let next = 0;
      return groups.map((group) => {
        if (group instanceof StoreUnavailable) return group;
        const result = results[next++]!;
        if (result.kind === 'late') return result.failure;
        return packResults(result.results, packRecorded(group.outcomes, result.judged));
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
