/** Freezes and the number that every commit and redemption compares. */
import type { FreezeScope } from '@writecheck/contract';
import { freezeCreatedEntry, freezeLiftedEntry } from '../commit/new-entries.ts';
import type { Prunable } from '../port/erasures.ts';
import type {
  FreezeAuthor,
  FreezeOutcome,
  FreezeQuery,
  FreezeState,
  Lift,
  NewFreeze,
  StoredFreeze,
} from '../port/freezes.ts';
import { begin } from './acting.ts';
import { IS_ACTIVE, lockWorkspace } from './lock-workspace.ts';
import { escaped, json, mapping } from './mapping.ts';
import {
  type Append,
  append,
  assignments,
  holdLogs,
  hurry,
  insertion,
  list,
  type Part,
  part,
  type Read,
  sql,
  sqlEscaping,
  type Write,
} from './operation.ts';

export const TABLES = `
CREATE TABLE writecheck.freeze (
  workspace text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- A JSON text.
  scope escaped NOT NULL,
  reason escaped NOT NULL,
  created_ms bigint NOT NULL,
  by_kind text NOT NULL,
  by_id text NOT NULL,
  until_ms bigint,
  lifted_ms bigint,
  -- A JSON text.
  lifted_by text,
  lift_reason escaped,
  -- Whose share of active freezes it counts against: all owners together, or its author.
  places text,
  request_key text COLLATE "C",
  request_digest text,
  PRIMARY KEY (workspace, number)
) WITHOUT ROWID;
CREATE UNIQUE INDEX freeze_by_id ON writecheck.freeze (workspace, id);
CREATE UNIQUE INDEX freeze_by_request ON writecheck.freeze (workspace, request_key) WHERE request_key IS NOT NULL;
CREATE INDEX freeze_active ON writecheck.freeze (workspace, number) WHERE lifted_ms IS NULL;

-- The number of each workspace's newest freeze or lift; a check commits only if it was decided under it.
CREATE TABLE writecheck.freeze_number (
  workspace text COLLATE "C" PRIMARY KEY,
  number bigint NOT NULL
) WITHOUT ROWID;
`;

const FREEZE = mapping<Omit<StoredFreeze, 'createdBy'>>({
  workspace: 'workspace',
  id: 'id',
  number: 'number',
  scope: json('scope'),
  reason: escaped('reason'),
  createdAtMs: 'created_ms',
  untilMs: 'until_ms',
  liftedAtMs: 'lifted_ms',
  liftedBy: json('lifted_by'),
  liftReason: escaped('lift_reason'),
});

interface FreezeRow {
  readonly by_kind: FreezeAuthor['kind'];
  readonly by_id: string;
}

/** The scope holds texts of any characters too. */
const escaping = sqlEscaping('scope', ...FREEZE.escaped);

function freezeOf(row: FreezeRow): StoredFreeze {
  return { ...FREEZE.storedOf(row), createdBy: { kind: row.by_kind, id: row.by_id } };
}

/**
 * Once it resolves, no commit or redemption in any process succeeds without knowing the freeze. Rejects with
 * `ActingEnded` if its author may no longer freeze.
 *
 * INVARIANT: it holds every open log, so each commit ends before it or reads the new number after it, and it is
 * dated after them all. The lock of the workspace comes first, as in every other change, so that no two of them wait in
 * a circle.
 */
export function* freeze(wish: NewFreeze): Append<FreezeOutcome> {
  const { workspace, id, scope, reason, untilMs, by, places, idempotency } = wish;
  // A caller that must stop writes needs to know soon whether it has, and retries.
  yield* hurry();
  if (!(yield* begin(workspace, by, wish.atMs, true))) return { kind: 'no_such_workspace' };
  const before = yield* madeUnder(wish);
  if (before !== null) return before;
  if (places !== null && (yield* activeOf(wish)) >= places.most) return { kind: 'too_many' };
  const unknown = yield* unknownKeyIn(workspace, scope);
  if (unknown !== null) return { kind: 'unknown_key', keyId: unknown };
  // Locks only now, so a freeze that was refused above blocks nobody.
  const atMs = Math.max(wish.atMs, yield* holdLogs('all'));
  const number = yield* nextNumber(workspace);
  const active = { liftedAtMs: null, liftedBy: null, liftReason: null };
  const row = {
    ...FREEZE.rowOf({ workspace, number, id, scope, reason, untilMs, createdAtMs: atMs, ...active }),
    scope: { escaped: JSON.stringify(scope) },
    by_kind: by.kind,
    by_id: by.id,
    places: places?.of ?? null,
    request_key: idempotency?.key ?? null,
    request_digest: idempotency?.requestDigest ?? null,
  };
  yield* sql`INSERT INTO writecheck.freeze ${insertion(row)}`;
  const made = (yield* findFreeze(workspace, id))!;
  yield* append((log) => [freezeCreatedEntry(log, made)]);
  return { kind: 'frozen', freeze: made, isNew: true };
}

function* madeUnder({ workspace, idempotency, atMs }: NewFreeze): Write<FreezeOutcome | null> {
  if (idempotency === null) return null;
  yield* sql`UPDATE writecheck.freeze SET request_key = NULL, request_digest = NULL WHERE workspace = ${workspace}
    AND request_key = ${idempotency.key} AND created_ms <= ${atMs - idempotency.keptMs}`;
  const [row] = yield* escaping<
    FreezeRow & { readonly request_digest: string }
  >`SELECT * FROM writecheck.freeze
    WHERE workspace = ${workspace} AND request_key = ${idempotency.key}`;
  if (row === undefined) return null;
  if (row.request_digest !== idempotency.requestDigest) return { kind: 'key_reused' };
  // INVARIANT: a freeze that stops nothing is never reported as created.
  const made = freezeOf(row);
  return made.liftedAtMs === null ? { kind: 'frozen', freeze: made, isNew: false } : { kind: 'key_expired' };
}

function* activeOf({ workspace, places, by }: NewFreeze): Read<number> {
  const whose: Part =
    places?.of === 'owners' ? part`places = 'owners'` : part`places = 'person' AND by_id = ${by.id}`;
  const rows =
    yield* sql`SELECT 1 FROM writecheck.freeze WHERE workspace = ${workspace} AND lifted_ms IS NULL AND ${whose}`;
  return rows.length;
}

function* unknownKeyIn(workspace: string, { keyId }: FreezeScope): Read<string | null> {
  if (keyId === undefined) return null;
  const named = typeof keyId === 'string' ? [keyId] : keyId;
  const rows = yield* sql<{ readonly id: string }>`SELECT id FROM writecheck.api_key
    WHERE workspace = ${workspace} AND id IN (${list(named)})`;
  const known = new Set(rows.map(({ id }) => id));
  return named.find((id) => !known.has(id)) ?? null;
}

function* nextNumber(workspace: string): Write<number> {
  const [row] = yield* sql<{
    readonly number: number;
  }>`INSERT INTO writecheck.freeze_number AS n (workspace, number)
    VALUES (${workspace}, 1) ON CONFLICT (workspace) DO UPDATE SET number = n.number + 1 RETURNING number`;
  return row!.number;
}

/**
 * Returns the named freezes in their current state; one that was lifted before does not change. Each lift has a
 * number too, so that the log says which freezes were active at any number.
 */
export function* lift({ workspace, which, by, reason, ...asked }: Lift): Append<readonly StoredFreeze[]> {
  if (by === null) yield* lockWorkspace(workspace);
  else yield* begin(workspace, by, asked.atMs);
  const atMs = Math.max(asked.atMs, yield* holdLogs('own'));
  const named = yield* escaping<FreezeRow>`SELECT * FROM writecheck.freeze WHERE workspace = ${workspace}
    AND ${namedBy(which)} ORDER BY number FOR NO KEY UPDATE`;
  const lifted: StoredFreeze[] = [];
  for (const freeze of named.map(freezeOf)) {
    if (freeze.liftedAtMs !== null) {
      lifted.push(freeze);
      continue;
    }
    const number = yield* nextNumber(workspace);
    const now: StoredFreeze = {
      ...freeze,
      // Another process may have created it, with a clock that is ahead.
      liftedAtMs: Math.max(atMs, freeze.createdAtMs),
      liftedBy: by === null ? null : { kind: by.kind, id: by.id },
      liftReason: reason,
    };
    const { lifted_ms, lifted_by, lift_reason } = FREEZE.rowOf(now);
    yield* sql`UPDATE writecheck.freeze SET ${assignments({ lifted_ms, lifted_by, lift_reason })}
      WHERE workspace = ${workspace} AND number = ${freeze.number}`;
    yield* append((log) => [freezeLiftedEntry(log, now, number)]);
    lifted.push(now);
  }
  return lifted;
}

function namedBy(which: Lift['which']): Part {
  if (which === 'overdue') return part`lifted_ms IS NULL AND until_ms <= writecheck.lease_now()`;
  if ('id' in which) return part`id = ${which.id}`;
  const { kind, id } = which.createdBy;
  return part`lifted_ms IS NULL AND by_kind = ${kind} AND by_id = ${id}`;
}

/**
 * INVARIANT: one statement reads number and freezes: a number without its freeze would let a commit through
 * that the freeze should stop.
 */
function* stateOf(workspace: string, which: Part): Read<FreezeState> {
  const rows = yield* escaping<FreezeRow & { readonly newest: number | null; readonly id: string | null }>`
    SELECT f.*, n.number AS newest FROM (SELECT 1 AS one) AS o
    LEFT JOIN writecheck.freeze_number n ON n.workspace = ${workspace}
    LEFT JOIN writecheck.freeze f ON f.workspace = ${workspace} AND ${which} ORDER BY f.number`;
  return { number: rows[0]?.newest ?? 0, freezes: rows.filter(({ id }) => id !== null).map(freezeOf) };
}

/** The active freezes. */
export function* activeFreezes(workspace: string): Read<FreezeState> {
  return yield* stateOf(workspace, part`f.lifted_ms IS NULL`);
}

/** The active freezes, and those of a higher number that were lifted since. */
export function* freezesAfter(workspace: string, number: number): Read<FreezeState> {
  return yield* stateOf(workspace, part`(f.number > ${number} OR f.lifted_ms IS NULL)`);
}

/** The number of the newest freeze or lift of a workspace. */
export function* freezeNumber(workspace: string): Read<number> {
  const [row] = yield* sql<{ readonly number: number }>`SELECT number FROM writecheck.freeze_number
    WHERE workspace = ${workspace}`;
  return row?.number ?? 0;
}

export function* findFreeze(workspace: string, id: string): Read<StoredFreeze | null> {
  const [row] =
    yield* escaping<FreezeRow>`SELECT * FROM writecheck.freeze WHERE workspace = ${workspace} AND id = ${id}`;
  return row === undefined ? null : freezeOf(row);
}

/** Reads the active freezes of all workspaces, or the named one. */
export function* freezesEverywhere(named: 'active' | { readonly id: string }): Read<readonly StoredFreeze[]> {
  const which = named === 'active' ? part`lifted_ms IS NULL` : part`id = ${named.id}`;
  const rows = yield* escaping<FreezeRow>`SELECT * FROM writecheck.freeze WHERE ${which}
    ORDER BY workspace, number`;
  return rows.map(freezeOf);
}

/** Newest first. */
export function* listFreezes({
  workspace,
  activeOnly,
  before,
  limit,
}: FreezeQuery): Read<readonly StoredFreeze[]> {
  const state = activeOnly ? part`AND lifted_ms IS NULL` : part``;
  const page = before === null ? part`` : part`AND number < ${before}`;
  const rows = yield* escaping<FreezeRow>`SELECT * FROM writecheck.freeze WHERE workspace = ${workspace}
    ${state} ${page} ORDER BY number DESC LIMIT ${limit}`;
  return rows.map(freezeOf);
}

/** The active workspaces with an active freeze whose time has ended. */
export function* overdueFreezes(): Read<readonly string[]> {
  const rows = yield* sql<{ readonly workspace: string }>`SELECT DISTINCT workspace FROM writecheck.freeze
    WHERE lifted_ms IS NULL AND until_ms <= writecheck.lease_now()
      AND ${IS_ACTIVE}`;
  return rows.map(({ workspace }) => workspace);
}

export function* activeFreezeIds(): Read<readonly string[]> {
  const rows = yield* sql<{ readonly id: string }>`SELECT id FROM writecheck.freeze WHERE lifted_ms IS NULL`;
  return rows.map(({ id }) => id);
}

/** Counts the freezes of all workspaces. */
export function* countActiveFreezes(): Read<number> {
  const [row] = yield* sql<{ readonly count: number }>`SELECT count(*) AS count FROM writecheck.freeze
    WHERE lifted_ms IS NULL`;
  return row!.count;
}

/** Removes the texts of freezes that are over, in a prune by time. */
export function* forgetFreezeWords({ workspace, beforeMs, only }: Prunable): Write<void> {
  if (only !== null) return;
  const before = beforeMs ?? Number.MAX_SAFE_INTEGER;
  const of = workspace === undefined ? part`` : part`AND workspace = ${workspace}`;
  yield* sql`UPDATE writecheck.freeze SET reason = '' WHERE lifted_ms IS NOT NULL AND created_ms < ${before} ${of}`;
  // A freeze that ended by its time has no reason for its lift.
  yield* sql`UPDATE writecheck.freeze SET lift_reason = ''
    WHERE lifted_by IS NOT NULL AND lifted_ms < ${before} ${of}`;
}
