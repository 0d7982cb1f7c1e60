/** A response before it is written to a socket, whoever made it. */
import type { ErrorCode } from '@writecheck/contract';

export interface Answer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: Uint8Array | string | null;
  /** Replaces the body; sent piece by piece, as fast as the client reads it. Whoever does not send it must end it. */
  readonly stream?: AsyncGenerator<string>;
  /** Sent back instead of the context's request id. */
  readonly requestId?: string;
  /** The error code, for the log and the metrics. */
  readonly code?: ErrorCode;
}

export const NO_HEADERS: Answer['headers'] = {};

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

/** Responds with text that is already JSON. */
export function jsonText(body: string | Uint8Array, headers = NO_HEADERS): Answer {
  return { status: 200, headers: { ...JSON_HEADERS, ...headers }, body };
}
