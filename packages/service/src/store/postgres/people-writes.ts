/** The arguments of the one statement that changes a person; sessions, and one-time values. */
import { REVIEW_DESK } from '@writecheck/contract';
import type { BuiltSegment } from '../commit/segment-builder.ts';
import { credentialRow, personRow, SESSION_KEPT_MS } from '../people-rows.ts';
import type { ChangePersonOutcome, NewSession, OneTimeValue, PersonChange } from '../port/people.ts';
import { encodeSegment } from '../segment.ts';
import { CHANGES_KEPT, CHANNEL, noteChange } from './changes.ts';
import { placeArguments } from './commit-arguments.ts';
import type { Connections, Query } from './connection.ts';
import type { HeldLog } from './log-lease.ts';

export function changePersonArguments(
  log: HeldLog,
  segment: BuiltSegment,
  { person, credential, seenAtMs }: PersonChange,
) {
  return {
    ...placeArguments(log, segment),
    p_count: segment.entries.length,
    p_oldest_ms: segment.oldestMs,
    p_latest_ms: segment.latestMs,
    p_leaf_hashes: segment.leafHashes,
    p_body: encodeSegment(segment.entries),
    p_person: JSON.stringify(personRow(person)),
    p_credential: credential === undefined ? null : JSON.stringify(credentialRow(person, credential)),
    p_seen_ms: seenAtMs ?? null,
    p_source: REVIEW_DESK,
    p_changes_kept: CHANGES_KEPT,
    p_channel: CHANNEL,
  };
}

export function changePersonOutcome(status: string): ChangePersonOutcome {
  switch (status) {
    case 'changed':
    case 'conflict':
    case 'email_taken':
    case 'identity_taken':
    case 'credential_taken':
    case 'too_many_people':
      return { kind: status };
    default:
      throw new Error(`the database gives an unknown outcome: ${status}`);
  }
}

export function prepareSessionWrites({ transaction, query: run }: Connections) {
  return {
    createSession: (session: NewSession): Promise<boolean> =>
      transaction(async (query) => {
        const { hash, workspace, personId, epoch, signIn, createdAtMs, expiresAtMs } = session;
        // Shares the row, so that a change that disables this person waits, and ends this session too.
        const active = await query(
          `SELECT 1 FROM writecheck.person WHERE id = $1 AND workspace = $2 AND epoch = $3 AND state = 'active'
           FOR SHARE`,
          [personId, workspace, epoch],
        );
        if (active.length === 0) return false;
        await query('INSERT INTO writecheck.session VALUES ($1, $2, $3, $4, $5, $6, $7, $6, NULL)', [
          hash,
          workspace,
          personId,
          epoch,
          signIn,
          createdAtMs,
          expiresAtMs,
        ]);
        return true;
      }),
    endSession: (hash: string, nowMs: number): Promise<void> =>
      transaction(async (query) => {
        const [ended] = await query<{ readonly workspace: string; readonly person: string }>(
          `UPDATE writecheck.session SET ended_ms = $2 WHERE hash = $1 AND ended_ms IS NULL
           RETURNING workspace, person`,
          [hash, nowMs],
        );
        if (ended !== undefined) await noteChange(query, 'person', ended.workspace, ended.person);
      }),
    async touchSessions(uses: readonly { readonly hash: string; readonly atMs: number }[]): Promise<void> {
      // Locked in one order, since other processes touch the same rows.
      await run(
        `WITH used AS (SELECT hash, max(at_ms) AS at_ms FROM unnest($1::text[], $2::bigint[]) AS u (hash, at_ms)
           GROUP BY hash),
         locked AS (SELECT s.hash FROM writecheck.session s JOIN used USING (hash) ORDER BY s.hash
           FOR NO KEY UPDATE OF s),
         touched AS (UPDATE writecheck.session s SET last_used_ms = used.at_ms FROM used JOIN locked USING (hash)
           WHERE s.hash = used.hash AND s.last_used_ms < used.at_ms RETURNING s.person, used.at_ms),
         seen AS (SELECT person, max(at_ms) AS at_ms FROM touched GROUP BY person),
         people AS (SELECT p.id FROM writecheck.person p JOIN seen ON seen.person = p.id ORDER BY p.id
           FOR NO KEY UPDATE OF p)
         UPDATE writecheck.person p SET last_seen_ms = seen.at_ms FROM seen JOIN people ON people.id = seen.person
           WHERE p.id = seen.person AND coalesce(p.last_seen_ms, 0) < seen.at_ms`,
        [uses.map(({ hash }) => hash), uses.map(({ atMs }) => atMs)],
      );
    },
    async noteSignCount(id: string, signCount: number): Promise<void> {
      await run('UPDATE writecheck.credential SET sign_count = $2 WHERE id = $1', [id, signCount]);
    },
    keepOneTime: async ({ kind, key, payload, expiresAtMs }: OneTimeValue): Promise<boolean> =>
      (
        await run(
          'INSERT INTO writecheck.one_time VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING 1',
          [kind, key, payload, expiresAtMs],
        )
      ).length === 1,
    async takeOneTime(kind: string, key: string, nowMs: number): Promise<string | null> {
      const [taken] = await run<{ readonly payload: string; readonly expires_ms: number }>(
        'DELETE FROM writecheck.one_time WHERE kind = $1 AND key = $2 RETURNING payload, expires_ms',
        [kind, key],
      );
      return taken === undefined || taken.expires_ms <= nowMs ? null : taken.payload;
    },
  };
}

const SWEEP_ROWS = 1_000;

export async function sweepPeople(run: Query, nowMs: number): Promise<number> {
  const sessions = await run(
    `DELETE FROM writecheck.session WHERE hash IN (SELECT hash FROM writecheck.session WHERE expires_ms <= $1
       LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED) RETURNING 1`,
    [nowMs - SESSION_KEPT_MS],
  );
  const oneTime = await run(
    `DELETE FROM writecheck.one_time WHERE (kind, key) IN (SELECT kind, key FROM writecheck.one_time
       WHERE expires_ms <= $1 LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED) RETURNING 1`,
    [nowMs],
  );
  return sessions.length + oneTime.length;
}
