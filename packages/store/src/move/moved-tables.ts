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

const OWN = 'workspace = $1';
const NUMBERED = { order: 'number', own: ['number'] };

/**
 * INVARIANT: everything in it moves exactly, because each row says what was used, counted or stopped. A test compares
 * these with the schema: a table with a column `workspace` is here, or `STAYING` says why not.
 */
export const MOVED_TABLES: readonly MovedTable[] = [
  { table: 'rename', where: OWN, ...NUMBERED },
  { table: 'api_key', where: OWN, ...NUMBERED },
  { table: 'idempotency', where: OWN, own: ['number', 'claimed_ms'] },
  { table: 'consumed_attestation', where: OWN },
  { table: 'revoked_attestation', where: OWN },
  { table: 'policy', where: OWN, order: 'revision' },
  { table: 'redemption', where: OWN },
  { table: 'freeze', where: OWN, order: 'number' },
  { table: 'freeze_number', where: OWN },
  { table: 'outcome', where: OWN },
  { table: 'review', where: OWN, own: ['number'] },
  { table: 'person', where: OWN, ...NUMBERED },
  { table: 'credential', where: OWN },
  { table: 'webhook_call', where: OWN },
  { table: 'webhook', where: OWN, order: 'number', own: ['number', 'holder', 'leased_until_ms'] },
  {
    table: 'webhook_delivery',
    where: 'webhook IN (SELECT id FROM writecheck.webhook WHERE workspace = $1)',
    ...NUMBERED,
  },
  { table: 'impact_run', where: OWN },
  { table: 'assessment', where: OWN },
  { table: 'pruned_day', where: OWN },
  { table: 'erased_decision', where: OWN },
  { table: 'erased_before', where: OWN },
];

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

/** Columns that only the process delivering a webhook knows. */
const NOT_LEASED = { holder: '', leased_until_ms: 0 };

/** Bytes in a line of JSON. */
interface Bytes {
  readonly base64: string;
}

const COLUMNS = columnsOf(TABLES);

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
    if (type === 'compared') return [column, storableId({ jti: value })];
    return [column, type === 'escaped' ? storableText(value) : value];
  });
  return { ...Object.fromEntries(columns), ...(table === 'webhook' ? NOT_LEASED : {}) };
}
