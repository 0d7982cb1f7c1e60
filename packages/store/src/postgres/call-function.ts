/** Calls the published functions by argument name, so that no argument order has to stay in step. */
import { hash } from 'node:crypto';

export interface FunctionCall {
  /** The name of the prepared statement, which a connection parses once. */
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/**
 * INVARIANT: a function is always called with the same arguments in the same order; otherwise its statement would
 * differ.
 */
export function callOf(name: string, args: { readonly [argument: string]: unknown }): FunctionCall {
  const named = Object.keys(args).map((argument, i) => `${argument} => $${i + 1}`);
  const text = `SELECT * FROM writecheck.${name}(${named.join(', ')})`;
  return { name: statementNameOf(name, text), text, values: Object.values(args) };
}

const statementNames = new Map<string, string>();

/** INVARIANT: one name, one text: behind a pooler, processes of two versions may share a connection to the server. */
function statementNameOf(name: string, text: string): string {
  let known = statementNames.get(text);
  if (known === undefined) {
    known = `${name}_${hash('sha256', text).slice(0, 16)}`;
    statementNames.set(text, known);
  }
  return known;
}
