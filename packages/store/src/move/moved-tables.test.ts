import { expect, test } from 'vitest';
import { SCHEMA as POSTGRES } from '../postgres/schema.ts';
import { SCHEMA as SQLITE } from '../sqlite/schema.ts';
import { MOVED_TABLES, rowFromFile, rowInFile, STAYING } from './moved-tables.ts';

const TABLE = /CREATE TABLE (?:writecheck\.)?(\w+) \(([\s\S]*?)\n\)/g;

/** The tables of a schema that have a column of this name. */
function tablesWith(schema: string, column: string): readonly string[] {
  return [...schema.matchAll(TABLE)]
    .filter(([, , columns]) => new RegExp(`\\n  ${column} `).test(columns!))
    .map(([, table]) => table!);
}

test.each([
  ['SQLite', SQLITE],
  ['PostgreSQL', POSTGRES],
])('every table of %s with rows of a workspace moves, or is listed as staying', (_, schema) => {
  const named = [...MOVED_TABLES.map(({ table }) => table), ...Object.keys(STAYING)];
  const owned = tablesWith(schema, 'workspace');
  expect(owned.length).toBeGreaterThan(15);
  expect(owned.filter((table) => !named.includes(table))).toEqual([]);
  expect(tablesWith(schema, 'webhook')).toEqual(['webhook_delivery']);
});

const tableOf = (name: string) => MOVED_TABLES.find(({ table }) => table === name)!;

test('texts of any characters and bytes arrive unchanged, from and to each database', () => {
  const outcome = { workspace: 'ws', decision_id: 'dec', note: 'a\\b\0c', ref: null };
  const inPostgres = rowFromFile('postgres', tableOf('outcome'), outcome);
  expect(inPostgres.note).toBe('a\\\\b\\0c');
  expect(rowInFile('postgres', tableOf('outcome'), inPostgres)).toEqual(outcome);
  expect(rowFromFile('sqlite', tableOf('outcome'), outcome)).toEqual(outcome);
  const kept = { workspace: 'ws', key: 'k', response: Buffer.from([0, 255]), claimed_ms: 5 };
  const file = JSON.parse(JSON.stringify(rowInFile('postgres', tableOf('idempotency'), kept)));
  expect(rowFromFile('sqlite', tableOf('idempotency'), file)).toEqual({
    ...{ workspace: 'ws', key: 'k', response: kept.response },
  });
});

test('used ids stay used: an id that one database stores as a hash is recognized by the other, or refused', () => {
  const table = tableOf('consumed_attestation');
  const used = { workspace: 'ws', source: 'hris', jti: 'j'.repeat(300) };
  const inPostgres = rowFromFile('postgres', table, rowInFile('sqlite', table, used));
  expect(inPostgres.jti).toMatch(/^sha256:/);
  const again = rowInFile('postgres', table, inPostgres);
  expect(rowFromFile('postgres', table, again)).toEqual(inPostgres);
  expect(() => rowFromFile('sqlite', table, again)).toThrow('cannot move to SQLite');
  expect(rowFromFile('sqlite', table, rowInFile('sqlite', table, used))).toEqual(used);
});
