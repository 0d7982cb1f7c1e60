/** What goes back to a caller, before it is written to a socket. */

export interface Answer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: Uint8Array | string | null;
  /** Instead of a body: what is sent piece by piece, as fast as the caller takes it. */
  readonly stream?: AsyncIterable<string>;
}

export function json(status: number, value: unknown, headers: Answer['headers'] = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(value),
  };
}

export const NO_CONTENT: Answer = { status: 204, headers: { 'cache-control': 'no-store' }, body: null };
