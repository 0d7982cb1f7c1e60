/** Calls of the published functions: by the names of their arguments, so that no order has to be kept in step. */

export interface FunctionCall {
  /** Of the prepared statement, which a connection parses once. */
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** INVARIANT: a function is always called with the same arguments in the same order, or its statement would differ. */
export function callOf(name: string, args: { readonly [argument: string]: unknown }): FunctionCall {
  const named = Object.keys(args).map((argument, i) => `${argument} => $${i + 1}`);
  return { name, text: `SELECT * FROM writecheck.${name}(${named.join(', ')})`, values: Object.values(args) };
}
