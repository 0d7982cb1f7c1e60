/** Selects the rows that belong to a workspace, and moves them from one database to another through a file. */
import { StoreUnavailable } from '../port/failure.ts';
import { originalText, storableId, storableText } from '../postgres/storable-text.ts';
import { TABLES } from '../tables/operations.ts';
import { columnsOf } from '../tables/schema.ts';
import type { Session } from './session.ts';

export type MovedRow = { readonly [column: string]: unknown };

interface MovedTable {
  readonly table: string;
  /** Selects its rows of the workspace; `$1` is its id. */
  readonly where: string;
  readonly order?: string;
  /** Columns that each database fills itself. */
  readonly own?: readonly string[];
}

/** Tables that do not move row by row. */
export const STAYING: { readonly [table: string]: string } = {
  session: 'everybody signs in again',
  review_tag: 'rebuilt from the reviews',
  usage: 'added up',
  change: 'what caches of this store follow',
  // The search index of PostgreSQL.
  decision: 'rebuilt from the log',
  decision_kind: 'rebuilt from the log',
  hourly: 'rebuilt from the log',
  daily: 'rebuilt from the log',
};

const COLUMNS = columnsOf(TABLES);
const OWN = 'workspace = $1';

/** Tables whose rows do not name the workspace, or that have columns of one database only. */
const OTHERWISE: { readonly [table: string]: Partial<MovedTable> } = {
  webhook: { own: ['number', 'holder', 'leased_until_ms'] },
  webhook_delivery: { where: 'webhook IN (SELECT id FROM writecheck.webhook WHERE workspace = $1)' },
  idempotency: { own: ['number', 'claimed_ms'] },
};

/**
 * Every table with a column `workspace` that does not stay. INVARIANT: everything in it moves exactly, because each row
 * says what was used, counted or stopped. A test compares these with the schemas of both databases.
 */
export const MOVED_TABLES: readonly MovedTable[] = [...COLUMNS.keys(), 'idempotency'].flatMap((table) => {
  const columns = COLUMNS.get(table) ?? [];
  const isOwned = table in OTHERWISE || columns.some(({ name }) => name === 'workspace');
  if (!isOwned || table in STAYING) return [];
  const isNumbered = columns.some(({ isGenerated }) => isGenerated);
  const numbered = isNumbered ? { order: 'number', own: ['number'] } : {};
  return { table, where: OWN, ...numbered, ...OTHERWISE[table] };
});

/** Columns that only the process delivering a webhook knows. */
const NOT_LEASED = { holder: '', leased_until_ms: 0 };

/** Bytes in a line of JSON. */
interface Bytes {
  readonly base64: string;
}

/** PostgreSQL stores texts of type `escaped` and `compared` in another form than SQLite. */
function typeOf(table: string, column: string): string | undefined {
  return COLUMNS.get(table)?.find(({ name }) => name === column)?.type;
}

/** The row in the form of the file. */
export function rowInFile(kind: Session['kind'], { table, own = [] }: MovedTable, row: MovedRow): MovedRow {
  const isHash = kind === 'postgres' && String(row.jti).startsWith('sha256:');
  const columns = Object.entries(row).filter(([column]) => !own.includes(column));
  return Object.fromEntries(
    columns.map(([column, value]) => {
      if (column === 'jti' && isHash) return ['jti_hash', value];
      if (value instanceof Uint8Array) return [column, { base64: Buffer.from(value).toString('base64') }];
      if (kind === 'postgres' && typeof value === 'string' && typeOf(table, column) === 'escaped')
        return [column, originalText(value)];
      return [column, value];
    }),
  );
}

/** The row as a database of this kind stores it. Throws `StoreUnavailable` for a value that it cannot hold. */
export function rowFromFile(kind: Session['kind'], { table }: MovedTable, row: MovedRow): MovedRow {
  const columns = Object.entries(row).map(([column, value]): [string, unknown] => {
    if (column === 'jti_hash') {
      if (kind === 'postgres') return ['jti', value];
      // INVARIANT: a used or revoked id stays so. SQLite compares ids themselves, and could not recognize it.
      throw new StoreUnavailable(
        'io',
        'this workspace cannot move to SQLite: it used or revoked an attestation with an id of more than 200 characters, and PostgreSQL stores only the hash of such an id; move it to another PostgreSQL database',
      );
    }
    if (typeof value === 'object' && value !== null)
      return [column, Buffer.from((value as Bytes).base64, 'base64')];
    if (kind === 'sqlite' || typeof value !== 'string') return [column, value];
    const type = typeOf(table, column);
    if (type === 'compared') return [column, storableId(value)];
    return [column, type === 'escaped' ? storableText(value) : value];
  });
  return { ...Object.fromEntries(columns), ...(table === 'webhook' ? NOT_LEASED : {}) };
}
