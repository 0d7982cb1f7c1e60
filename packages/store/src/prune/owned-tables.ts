/** Every table with rows of a workspace; a new table with a column `workspace` is in it by itself. */
import { TABLES } from '../tables/operations.ts';
import type { OwnedTable } from '../tables/owned-rows.ts';
import { columnsOf, keysOf } from '../tables/schema.ts';

const KEYS = keysOf(TABLES);

/** Those that differ between the databases. */
const DIFFERENT: readonly OwnedTable[] = [
  { table: 'usage', key: ['workspace', 'period', 'kind'] },
  { table: 'idempotency', key: ['workspace', 'key'] },
];

/** Deliveries come first: they name their webhook, not its workspace. */
export const OWNED_TABLES: readonly OwnedTable[] = [
  { table: 'webhook_delivery', key: KEYS.get('webhook_delivery')!, through: 'webhook' },
  ...[...columnsOf(TABLES)]
    .filter(([, columns]) => columns.some(({ name }) => name === 'workspace'))
    .map(([table]) => ({ table, key: KEYS.get(table)! })),
  ...DIFFERENT,
];
