/** Changes of reviews in SQLite: rows, tags, revocations, log entries and the trail of changes in one transaction. */
import { reviewEntries } from '../commit/new-entries.ts';
import type {
  ChangeReviewsOutcome,
  OpenLimits,
  PersonVersion,
  ReviewChange,
  StoredReview,
} from '../port/reviews.ts';
import { approvalNames, COLUMNS, rowOf, tagsOf } from '../review-rows.ts';
import { prepareAppendEntries } from './append-entry.ts';
import type { NoteChange } from './changes.ts';
import type { Db } from './open-database.ts';

type NotChanged = Exclude<ChangeReviewsOutcome, { kind: 'changed' }>;

/** Leaves the transaction, which is undone as a whole. */
class Undone extends Error {
  readonly outcome: NotChanged;

  constructor(outcome: NotChanged) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

export function prepareReviewWrites(db: Db, log: string, noteChange: NoteChange) {
  const insert = db.prepare(
    `INSERT INTO review (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((name) => `@${name}`).join(', ')})
     ON CONFLICT DO NOTHING`,
  );
  const update = db.prepare(
    `UPDATE review SET ${COLUMNS.map((name) => `${name} = @${name}`).join(', ')}
     WHERE workspace = @workspace AND id = @id AND version = @version - 1`,
  );
  const dropTags = db.prepare('DELETE FROM review_tag WHERE workspace = ? AND id = ?');
  const addTag = db.prepare('INSERT INTO review_tag (workspace, tag, place, id) VALUES (?, ?, ?, ?)');
  const revoke = db.prepare('INSERT INTO revoked_attestation VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING');
  const openOfWorkspace = db
    .prepare("SELECT count(*) FROM review WHERE workspace = ? AND state = 'open'")
    .pluck();
  const openOfKey = db
    .prepare("SELECT count(*) FROM review WHERE workspace = ? AND first_asker = ? AND state = 'open'")
    .pluck();
  const openedOfKey = db
    .prepare('SELECT count(*) FROM review WHERE workspace = ? AND first_asker = ? AND opened_ms > ?')
    .pluck();
  const versionOf = db.prepare('SELECT version FROM person WHERE id = ?').pluck();
  const append = prepareAppendEntries(db);

  /** Checked after the review is inserted: it counts itself. */
  const requireRoom = ({ workspace, askedBy }: StoredReview, limits: OpenLimits): void => {
    const asker = askedBy[0] ?? '';
    const counts = [
      ['open_of_key', openOfKey.get(workspace, asker), limits.openOfKeyMax],
      ['opened_of_key', openedOfKey.get(workspace, asker, limits.sinceMs), limits.openedOfKeyMax],
      ['open_of_workspace', openOfWorkspace.get(workspace), limits.openOfWorkspaceMax],
    ] as const;
    for (const [which, count, max] of counts) {
      if ((count as number) > max) throw new Undone({ kind: 'too_many', which });
    }
  };

  const write = (review: StoredReview): void => {
    const row = rowOf(review);
    const statement = review.version === 1 ? insert : update;
    // INVARIANT: a row of another version, or an open review of this write, leaves nothing changed.
    if (statement.run(row).changes !== 1) throw new Undone({ kind: 'conflict' });
    dropTags.run(review.workspace, review.id);
    for (const tag of tagsOf(review)) addTag.run(review.workspace, tag, row.place, review.id);
  };

  type Changing = [readonly ReviewChange[], OpenLimits?, (readonly PersonVersion[])?];
  const apply = db.transaction((...[changes, limits, people = []]: Changing): void => {
    if (changes.length === 0) return;
    if (people.some(({ id, version }) => versionOf.get(id) !== version))
      throw new Undone({ kind: 'conflict' });
    // Closed reviews come first, to make room for those that replace them.
    const isNew = ({ review }: ReviewChange): boolean => review.version === 1;
    for (const { review } of changes.filter((change) => !isNew(change))) write(review);
    for (const { review } of changes.filter(isNew)) {
      write(review);
      if (limits !== undefined) requireRoom(review, limits);
    }
    for (const { review, entries, revokes } of changes) {
      noteChange('review', review.workspace, review.id);
      if (revokes !== true) continue;
      const atMs = Date.parse(entries.at(-1)!.timestamp);
      for (const { source, jti } of approvalNames(review)) revoke.run(review.workspace, source, jti, atMs);
    }
    append(log, reviewEntries(log, changes));
  });

  return {
    changeReviews(...changing: Changing): ChangeReviewsOutcome {
      try {
        // Within the operation's transaction, this one is a savepoint.
        apply(...changing);
        return { kind: 'changed' };
      } catch (thrown) {
        if (thrown instanceof Undone) return thrown.outcome;
        throw thrown;
      }
    },
  };
}
