/** Calls the published functions by argument name, so that no argument order has to stay in step. */
import { hash } from 'node:crypto';
import type pg from 'pg';
import { DURABLE } from './connect.ts';
import type { Query } from './connection.ts';

/**
 * INVARIANT: a function is always called with the same arguments in the same order; otherwise its statement would
 * differ.
 */
export function callOf(name: string, args: { readonly [argument: string]: unknown }) {
  const named = Object.keys(args).map((argument, i) => `${argument} => $${i + 1}`);
  return {
    text: `SELECT *, ${DURABLE} FROM writecheck.${name}(${named.join(', ')})`,
    values: Object.values(args),
  };
}

/** Prepares each statement, so that the connection parses it once. */
export function preparedQueryOn(client: Pick<pg.ClientBase, 'query'>): Query {
  return async <Row>(text: string, values: readonly unknown[] = []) =>
    (await client.query({ name: statementNameOf(text), text, values: values as unknown[] })).rows as Row[];
}

const statementNames = new Map<string, string>();

/** INVARIANT: one name, one text: behind a pooler, several processes may share a connection to the server. */
export function statementNameOf(text: string): string {
  let known = statementNames.get(text);
  if (known === undefined) {
    // An operator who lists prepared statements recognizes it by the function that it calls.
    const called = /writecheck\.(\w+)\(/.exec(text)?.[1] ?? 'writecheck';
    known = `${called}_${hash('sha256', text).slice(0, 16)}`;
    statementNames.set(text, known);
  }
  return known;
}

/**
 * Waits until everything that this connection could read is durable, on the standby too. What an earlier commit wrote
 * can be read although its wait was cancelled, and a primary that the others have left still answers reads.
 */
export const SETTLED = `SELECT ${DURABLE}, pg_logical_emit_message(true, 'writecheck', '')`;
