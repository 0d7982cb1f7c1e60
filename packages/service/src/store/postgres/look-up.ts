/** What stands in the way of a group of requests, read without locks: the commit finds out if it changed since. */
import type { CommitRequest } from '../port.ts';
import { type AnswerRow, storedAnswer } from '../rows.ts';
import { type AttestationName, accountKey, attestationKey, type Known, periodOf } from './admit.ts';
import type { Query } from './connection.ts';
import { storableId } from './storable-text.ts';

export const lookUp = async (query: Query, requests: readonly CommitRequest[]): Promise<Known> => {
  const limited = requests.filter(({ limit }) => limit !== null);
  const used = new Map<string, number>();
  const workspaces = [...new Set(limited.map(({ workspace }) => workspace))];
  const periods = [...new Set(limited.flatMap(({ entries }) => entries.map(({ atMs }) => periodOf(atMs))))];
  if (workspaces.length > 0) {
    const rows = await query<{
      workspace: string;
      period: string;
      kind: 'development' | 'live';
      used: number;
    }>(
      `SELECT workspace, period, kind, sum(used)::bigint AS used FROM writecheck.usage
       WHERE workspace = ANY ($1) AND period = ANY ($2) GROUP BY workspace, period, kind`,
      [workspaces, periods],
    );
    for (const row of rows) used.set(accountKey(row), row.used);
  }

  const claims = requests.filter(({ idempotency }) => idempotency !== null);
  const answers = new Map<string, AnswerRow>();
  if (claims.length > 0) {
    const rows = await query<AnswerRow & { workspace: string; key: string }>(
      `SELECT i.* FROM writecheck.idempotency i JOIN unnest($1::text[], $2::text[]) AS k (workspace, key)
       USING (workspace, key)`,
      [claims.map(({ workspace }) => workspace), claims.map(({ idempotency }) => idempotency!.key)],
    );
    for (const row of rows) answers.set(`${row.workspace} ${row.key}`, row);
  }

  const named = (of: 'consumes' | 'restsOn'): readonly AttestationName[] =>
    requests.flatMap(({ workspace, entries }) =>
      entries.flatMap((entry) =>
        entry[of].map((item) => ({ workspace, source: item.source, id: storableId(item) })),
      ),
    );
  const among = async (table: string, names: readonly AttestationName[]): Promise<ReadonlySet<string>> => {
    if (names.length === 0) return new Set();
    const rows = await query<{ workspace: string; source: string; jti: string }>(
      `SELECT workspace, source, jti FROM writecheck.${table} JOIN unnest($1::text[], $2::text[], $3::text[])
       AS n (workspace, source, jti) USING (workspace, source, jti)`,
      [names.map(({ workspace }) => workspace), names.map(({ source }) => source), names.map(({ id }) => id)],
    );
    return new Set(rows.map(({ workspace, source, jti }) => attestationKey({ workspace, source, id: jti })));
  };
  const consumed = await among('consumed_attestation', named('consumes'));
  const revoked = await among('revoked_attestation', named('restsOn'));

  return {
    used: (account) => used.get(accountKey(account)) ?? 0,
    answer(workspace, key, atMs) {
      const row = answers.get(`${workspace} ${key}`);
      return row === undefined || row.expires_ms <= atMs ? undefined : storedAnswer(row);
    },
    isConsumed: (name) => consumed.has(name),
    isRevoked: (name) => revoked.has(name),
  };
};
