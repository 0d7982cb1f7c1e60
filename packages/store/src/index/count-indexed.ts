/** Adds indexed entries to the counts by day and hour, and to the kinds of decisions that each day has. */
import { hash } from 'node:crypto';
import { type Part, part, type Statement, separated, sortedBy, sql } from '../tables/operation.ts';
import { KINDS_A_DAY, type KindOfDay, kindsOf } from './decision-kinds.ts';
import type { IndexRows } from './index-rows.ts';

type Counting = Generator<Statement, void, readonly unknown[]>;

/** The form in which a database is updated. */
interface CountingWay {
  /** The value that rows store for a workspace. */
  keyOf(workspace: string): string | number;
  /**
   * How many rows one statement writes. Many save PostgreSQL round trips; for SQLite, one row is always the same
   * statement, which it has parsed already.
   */
  readonly rowsAtOnce: number;
}

/** Runs within a transaction. Rows come sorted, because another process may count the same days for another log. */
export function* countIndexed({ decisions, daily, hourly }: IndexRows, way: CountingWay): Counting {
  const { keyOf, rowsAtOnce } = way;
  for (const rows of inSome(daily, rowsAtOnce)) {
    const values = rows.map(
      ({ workspace, day, keyId, checks }) => part`(${keyOf(workspace)}, ${day}, ${keyId}, ${checks})`,
    );
    yield* sql`INSERT INTO writecheck.daily AS d (workspace, day, key_id, checks) VALUES ${separated(values)}
      ON CONFLICT (workspace, day, key_id) DO UPDATE SET checks = d.checks + excluded.checks`;
  }
  for (const rows of inSome(hourly, rowsAtOnce)) {
    const values = rows.map(
      ({ workspace, hourMs, allow, pause, block, warned }) =>
        part`(${keyOf(workspace)}, ${hourMs}, ${allow}, ${pause}, ${block}, ${warned})`,
    );
    yield* sql`INSERT INTO writecheck.hourly AS h (workspace, hour_ms, allow, pause, block, warned)
      VALUES ${separated(values)} ON CONFLICT (workspace, hour_ms) DO UPDATE SET allow = h.allow + excluded.allow,
        pause = h.pause + excluded.pause, block = h.block + excluded.block, warned = h.warned + excluded.warned`;
  }
  const days = Map.groupBy(kindsOf(decisions), placeOf);
  for (const some of inSome(
    sortedBy([...days], ([place]) => place),
    rowsAtOnce,
  ))
    yield* noteKinds(
      some.map(([, kinds]) => kinds),
      way,
    );
}

function* inSome<Row>(rows: readonly Row[], count: number): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += count) yield rows.slice(at, at + count);
}

function placeOf({ workspace, day }: { readonly workspace: string | number; readonly day: number }): string {
  return `${workspace} ${day}`;
}

/** The row that stands for any kind. */
const ANY_NAME = '';
const ANY = {
  key_id: '',
  decision: '',
  evaluated_decision: '',
  reason_code: '',
  system: '',
  workflow_id: '',
};

/** Texts may be too long for a key; their hash is not. */
function nameOf(kind: KindOfDay): string {
  const { key_id, decision, evaluated_decision, reason_code, system, workflow_id } = kind;
  const named = [key_id, decision, evaluated_decision, reason_code, system, workflow_id];
  return hash('sha256', JSON.stringify(named)).slice(0, 32);
}

function* noteKinds(days: readonly (readonly KindOfDay[])[], { keyOf, rowsAtOnce }: CountingWay): Counting {
  const places = days.map(([first]) => part`(${keyOf(first!.workspace)}, ${first!.day}::integer)`);
  const known = yield* sql<{
    readonly workspace: string | number;
    readonly day: number;
    readonly kind: string;
  }>`
    SELECT workspace, day, kind FROM writecheck.decision_kind
    WHERE (workspace, day) IN (VALUES ${separated(places)})`;
  const knownIn = Map.groupBy(known, placeOf);
  const rows: Part[] = [];
  for (const kinds of days) {
    const { day } = kinds[0]!;
    const key = keyOf(kinds[0]!.workspace);
    const names = new Set(knownIn.get(placeOf({ workspace: key, day }))?.map(({ kind }) => kind));
    const noted = new Map<string, KindOfDay>();
    for (const kind of kinds) {
      const name = nameOf(kind);
      const isKept = names.has(name) || names.size < KINDS_A_DAY;
      const place = isKept ? name : ANY_NAME;
      names.add(place);
      noted.set(
        place,
        isKept ? kind : { ...kind, ...ANY, hours: kind.hours | (noted.get(place)?.hours ?? 0) },
      );
    }
    for (const [name, kind] of sortedBy([...noted], ([place]) => place)) {
      const { key_id, decision, evaluated_decision, reason_code, system, workflow_id, hours } = kind;
      rows.push(part`(${key}, ${day}, ${name}, ${key_id}, ${decision}, ${evaluated_decision}, ${reason_code}, ${system},
        ${workflow_id}, ${hours})`);
    }
  }
  for (const some of inSome(rows, rowsAtOnce))
    yield* sql`INSERT INTO writecheck.decision_kind AS k (workspace, day, kind, key_id, decision, evaluated_decision,
        reason_code, system, workflow_id, hours) VALUES ${separated(some)}
      ON CONFLICT (workspace, day, kind) DO UPDATE SET hours = k.hours | excluded.hours`;
}
