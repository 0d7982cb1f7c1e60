/** Calls the published functions by argument name, so that no argument order has to stay in step. */

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
  return { name, text: `SELECT * FROM writecheck.${name}(${named.join(', ')})`, values: Object.values(args) };
}
