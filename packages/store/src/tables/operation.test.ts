/** How operations are written as statements. */
import { describe, expect, test } from 'vitest';
import {
  assignments,
  insertion,
  list,
  part,
  type Read,
  separated,
  sql,
  text,
  type Value,
} from './operation.ts';

function statement(operation: Read<unknown>) {
  const { done, value } = operation.next();
  if (done === true) throw new Error('it ran no statement');
  return value;
}

describe('a statement', () => {
  test('binds every value, and numbers them in the order of their places', () => {
    const within = part`at_ms > ${5} AND id IN (${list(['a', 'b'])})`;
    expect(statement(sql`SELECT 1 FROM t WHERE w = ${"o'; DROP"} AND ${within} LIMIT ${9}`)).toEqual({
      kind: 'statement',
      text: 'SELECT 1 FROM t WHERE w = $1 AND at_ms > $2 AND id IN ($3, $4) LIMIT $5',
      values: ["o'; DROP", 5, 'a', 'b', 9],
      escaped: [],
    });
  });

  test('binds null and an empty list, which equals nothing', () => {
    const none: readonly Value[] = [];
    expect(statement(sql`SELECT ${null} IN (${list(none)})`)).toMatchObject({
      text: 'SELECT $1 IN ($2)',
      values: [null, null],
    });
  });

  test('inserts and updates the columns of a row', () => {
    const row = { id: 'a', at_ms: 1 };
    expect(statement(sql`INSERT INTO t ${insertion(row)}`)).toMatchObject({
      text: 'INSERT INTO t (id, at_ms) VALUES ($1, $2)',
      values: ['a', 1],
    });
    expect(statement(sql`UPDATE t SET ${assignments(row)} ${text('WHERE true')}`)).toMatchObject({
      text: 'UPDATE t SET id = $1, at_ms = $2 WHERE true',
    });
    expect(statement(sql`VALUES ${separated([])}`)).toMatchObject({ text: 'VALUES ', values: [] });
  });
});
