/** Everything that writes, by name: what the writer thread can be asked to do. */
import { prepareNoteChange } from './changes.ts';
import { prepareCommit } from './commit.ts';
import { type PackedGroup, packOutcomes, unpackRequests } from './commit-wire.ts';
import { prepareKeyWrites } from './keys.ts';
import { prepareLogKeeping } from './log-keeping.ts';
import type { Db } from './open-database.ts';
import { preparePrune } from './prune-log.ts';
import { prepareReviewWrites } from './review-writes.ts';
import {
  prepareEvidenceWrites,
  preparePolicyWrites,
  prepareRedemptionWrites,
  prepareSweep,
} from './side-tables.ts';

/** The log that grows: the newest one of the file. */
export const openLog = (db: Db): string =>
  db.prepare('SELECT log FROM log ORDER BY base DESC, log LIMIT 1').pluck().get() as string;

export const prepareOperations = (db: Db) => {
  const noteChange = prepareNoteChange(db);
  const writes = {
    ...prepareKeyWrites(db, noteChange),
    ...preparePolicyWrites(db, noteChange),
    ...prepareEvidenceWrites(db),
    ...prepareRedemptionWrites(db, openLog(db)),
    ...prepareReviewWrites(db, openLog(db), noteChange),
    ...prepareLogKeeping(db),
    ...preparePrune(db),
    ...prepareSweep(db),
    /** Takes the write lock and lets go: fails where a write would. */
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
  const commitGroup = prepareCommit(db, openLog(db));
  return {
    ...transactional,
    /** Writes the file anew, so that nothing lies on in it of what was taken out. No transaction can hold it. */
    compact(): void {
      db.exec('VACUUM');
    },
    commit: (packed: PackedGroup) => packOutcomes(commitGroup(unpackRequests(packed))),
  };
};

export type Operations = ReturnType<typeof prepareOperations>;
