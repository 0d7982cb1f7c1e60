/** Empties entries of the logs in PostgreSQL, a few segments in one transaction, so that none is held for long. */
import type { PruneQuery } from '../port.ts';
import { holdsAnyOf } from '../prune/kept-decisions.ts';
import { type OnlyKind, pruneSegment } from '../prune/prune-segment.ts';
import type { StoredSegment } from '../segment.ts';
import type { Connections } from './connection.ts';
import { storableText } from './storable-text.ts';

const SEGMENTS_AT_ONCE = 16;
const ANSWERS_AT_ONCE = 500;

interface AnswerRow {
  readonly workspace: string;
  readonly key: string;
  readonly request_digest: string;
  readonly response: Buffer;
}

interface Step {
  readonly emptied: number;
  /** Where to continue; null at the end. */
  readonly next: number | null;
}

/**
 * Another writer may have recorded a redemption in a log that is read earlier than the decision's. So the decisions of
 * an object are named first, and their redemptions in a second pass.
 */
function passesOf({ objectRef }: PruneQuery): readonly OnlyKind[] {
  return objectRef === undefined ? [undefined] : ['decision', 'redemption'];
}

export function preparePrune({ transaction, query: run }: Connections) {
  function step(from: number, query: PruneQuery, forgotten: Set<string>, only: OnlyKind): Promise<Step> {
    return transaction(async (locked) => {
      const rows = await locked<StoredSegment>(
        `SELECT position, count, body FROM writecheck.segment WHERE position >= $1 AND oldest_ms < $2
         ORDER BY position LIMIT ${SEGMENTS_AT_ONCE} FOR UPDATE`,
        [from, query.beforeMs ?? Number.MAX_SAFE_INTEGER],
      );
      let emptied = 0;
      for (const segment of rows) {
        const left = pruneSegment(segment, query, forgotten, only);
        if (left === null) continue;
        await locked('UPDATE writecheck.segment SET body = $2 WHERE position = $1', [
          segment.position,
          left.body,
        ]);
        emptied += left.emptied;
      }
      return { emptied, next: rows.length < SEGMENTS_AT_ONCE ? null : rows.at(-1)!.position + 1 };
    });
  }

  async function forgetAnswers(decisions: ReadonlySet<string>): Promise<void> {
    for (let after = { workspace: '', key: '' }; ; ) {
      const rows = await run<AnswerRow>(
        `SELECT workspace, key, request_digest, response FROM writecheck.idempotency
         WHERE (workspace, key) > ($1, $2) ORDER BY workspace, key LIMIT ${ANSWERS_AT_ONCE}`,
        [after.workspace, after.key],
      );
      for (const { workspace, key, request_digest, response } of rows) {
        if (!holdsAnyOf(response, decisions)) continue;
        await run(
          'DELETE FROM writecheck.idempotency WHERE workspace = $1 AND key = $2 AND request_digest = $3',
          [workspace, key, request_digest],
        );
      }
      if (rows.length < ANSWERS_AT_ONCE) return;
      after = rows.at(-1)!;
    }
  }

  return async (query: PruneQuery): Promise<number> => {
    const { workspace = null, beforeMs = null, objectRef = null } = query;
    const forgotten = new Set<string>();
    let emptied = 0;
    for (const only of passesOf(query)) {
      for (let next: number | null = 0; next !== null; ) {
        const done: Step = await step(next, query, forgotten, only);
        emptied += done.emptied;
        next = done.next;
      }
    }
    if (forgotten.size > 0) await forgetAnswers(forgotten);
    await transaction(async (locked) => {
      // Whoever is filling the index right now may have read what was there before.
      await locked('SELECT 1 FROM writecheck.indexed ORDER BY log FOR UPDATE');
      await locked(
        `DELETE FROM writecheck.decision WHERE ($1::text IS NULL OR workspace = $1)
           AND ($2::bigint IS NULL OR at_ms < $2) AND ($3::text IS NULL OR object_ref = $3)`,
        [workspace, beforeMs, objectRef === null ? null : storableText(objectRef)],
      );
    });
    return emptied;
  };
}
