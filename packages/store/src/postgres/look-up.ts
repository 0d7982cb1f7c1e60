/** Reads what conflicts with a group of requests, without locks: the commit detects changes since. */
import { calendarMonth } from '@writecheck/contract';
import {
  type AttestationName,
  accountKey,
  attestationKey,
  type Known,
  type KnownBasis,
  NO_BUNDLE,
  nameIn,
} from '../commit/admit.ts';
import { type AskingKey, endedCode } from '../commit/ended-code.ts';
import { BYTES, dayOf } from '../commit/stored-bytes.ts';
import type { CommitRequest } from '../port.ts';
import { type AnswerRow, storedAnswer } from '../rows.ts';
import type { Query } from './connection.ts';
import { storableId } from './storable-text.ts';

export async function lookUp(
  query: Query,
  requests: readonly CommitRequest[],
  storesAtMost: number | null,
): Promise<Known> {
  const used = await usedOf(query, requests);
  const answers = await answersTo(query, requests);
  const consumed = await among(query, 'consumed_attestation', namesOf(requests, 'consumes'));
  const revoked = await among(query, 'revoked_attestation', namesOf(requests, 'restsOn'));
  const bases = await basesOf(query, requests, storesAtMost);
  const stored = storesAtMost === null ? new Map<string, number>() : await storedOf(query, requests);
  return {
    stored: (workspace, day) => stored.get(nameIn(workspace, day)) ?? 0,
    used: (account) => used.get(accountKey(account)) ?? 0,
    answer(workspace, key, atMs) {
      const row = answers.get(nameIn(workspace, key));
      return row === undefined || row.expires_ms <= atMs ? undefined : storedAnswer(row);
    },
    draws: readUnlocked,
    basis: (workspace, keyId) => bases.get(nameIn(workspace, keyId))!,
    isConsumed: (name) => consumed.has(storedKey(name)),
    isRevoked: (name) => revoked.has(storedKey(name)),
  };
}

/** INVARIANT: counters are read under a lock that is held until the commit, never here. */
export function readUnlocked(): never {
  throw new TypeError('a counter was read without its lock');
}

async function basesOf(
  query: Query,
  requests: readonly CommitRequest[],
  storesAtMost: number | null,
): Promise<ReadonlyMap<string, KnownBasis>> {
  const rows = await query<{
    readonly workspace: string;
    readonly key_id: string;
    readonly state: AskingKey['state'];
    readonly has_ceilings: boolean | null;
    readonly is_revoked: boolean;
    readonly number: number | null;
    readonly digest: string | null;
    readonly has_limits: boolean | null;
  }>(
    `SELECT asked.workspace, asked.key_id, w.state, w.signed_up AND NOT w.live_granted AS has_ceilings, f.number, r.digest, r.has_limits,
       EXISTS (SELECT 1 FROM writecheck.api_key k WHERE k.id = asked.key_id AND (k.revoked_ms IS NOT NULL
         OR EXISTS (SELECT 1 FROM writecheck.person p WHERE p.id = k.held_by AND p.state = 'disabled'))) AS is_revoked
     FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[])) AS asked (workspace, key_id)
     LEFT JOIN writecheck.workspace w ON w.id = asked.workspace
     LEFT JOIN writecheck.freeze_number f USING (workspace)
     LEFT JOIN LATERAL (SELECT digest, has_limits FROM writecheck.policy p
       WHERE p.workspace = asked.workspace ORDER BY revision DESC LIMIT 1) r ON true`,
    [requests.map(({ workspace }) => workspace), requests.map(({ keyId }) => keyId)],
  );
  return new Map(
    rows.map(({ workspace, key_id, state, has_ceilings, is_revoked, number, digest, has_limits }) => [
      nameIn(workspace, key_id),
      {
        ended: endedCode({ state, is_revoked }),
        freezeNumber: number ?? 0,
        running: digest === null ? NO_BUNDLE : { digest, hasLimits: has_limits === true },
        storesAtMost: has_ceilings === true ? storesAtMost : null,
      },
    ]),
  );
}

async function storedOf(
  query: Query,
  requests: readonly CommitRequest[],
): Promise<ReadonlyMap<string, number>> {
  const days = requests.map(({ atMs }) => dayOf(atMs));
  const rows = await query<{ readonly workspace: string; readonly day: string; readonly used: number }>(
    `SELECT workspace, period AS day, sum(used)::bigint AS used FROM writecheck.usage
     WHERE workspace = ANY ($1) AND period = ANY ($2) AND kind = '${BYTES}' GROUP BY workspace, period`,
    [requests.map(({ workspace }) => workspace), [...new Set(days)]],
  );
  return new Map(rows.map(({ workspace, day, used }) => [nameIn(workspace, day), used]));
}

async function usedOf(
  query: Query,
  requests: readonly CommitRequest[],
): Promise<ReadonlyMap<string, number>> {
  const limited = requests.filter(({ quota }) => quota !== null);
  if (limited.length === 0) return new Map();
  const periods = [...new Set(limited.map(({ atMs }) => calendarMonth(atMs).period))];
  const rows = await query<{
    readonly workspace: string;
    readonly period: string;
    readonly kind: 'development' | 'live';
    readonly used: number;
  }>(
    `SELECT workspace, period, kind, sum(used)::bigint AS used FROM writecheck.usage
     WHERE workspace = ANY ($1) AND period = ANY ($2) GROUP BY workspace, period, kind`,
    [limited.map(({ workspace }) => workspace), periods],
  );
  return new Map(rows.map((row) => [accountKey(row), row.used]));
}

async function answersTo(
  query: Query,
  requests: readonly CommitRequest[],
): Promise<ReadonlyMap<string, AnswerRow>> {
  const claims = requests.filter(({ idempotency }) => idempotency !== null);
  if (claims.length === 0) return new Map();
  const rows = await query<AnswerRow & { readonly workspace: string; readonly key: string }>(
    `SELECT i.* FROM writecheck.idempotency i JOIN unnest($1::text[], $2::text[]) AS k (workspace, key)
     USING (workspace, key)`,
    [claims.map(({ workspace }) => workspace), claims.map(({ idempotency }) => idempotency!.key)],
  );
  return new Map(rows.map((row) => [nameIn(row.workspace, row.key), row]));
}

function namesOf(requests: readonly CommitRequest[], of: 'consumes' | 'restsOn'): readonly AttestationName[] {
  return requests.flatMap((request) =>
    request[of].map(({ source, jti }) => ({ workspace: request.workspace, source, jti })),
  );
}

async function among(
  query: Query,
  table: string,
  names: readonly AttestationName[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const rows = await query<AttestationName>(
    `SELECT workspace, source, jti FROM writecheck.${table} JOIN unnest($1::text[], $2::text[], $3::text[])
     AS n (workspace, source, jti) USING (workspace, source, jti)`,
    [
      names.map(({ workspace }) => workspace),
      names.map(({ source }) => source),
      names.map(({ jti }) => storableId(jti)),
    ],
  );
  return new Set(rows.map(attestationKey));
}

/** A row holds an attestation's id in its storable form. */
function storedKey({ workspace, source, jti }: AttestationName): string {
  return attestationKey({ workspace, source, jti: storableId(jti) });
}
