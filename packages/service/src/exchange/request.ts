/** A request as the gates and the routes see it, whichever parser read it. */
import type { Credential } from '../exchange/credential.ts';

export interface HttpRequest {
  readonly method: string;
  /** Has no query, and no authority even if the target is absolute. */
  readonly path: string;
  /** The text after the question mark; may be empty. */
  readonly query: string;
  /** The address of the connection's other end. */
  readonly peer: string;
  /** `name` is in lower case. A repeated header is read as Node reads it: joined, or the first. */
  header(name: string): string | undefined;
  /** Whether a header came more than once, which `header` may not show. `name` is in lower case. */
  sentTwice(name: string): boolean;
  /** The credential in the `Authorization` header. */
  credential(): Credential;
  /** Call it at most once. Returns a promise only if the body has not arrived yet. */
  body(limitBytes: number): ReadBody | Promise<ReadBody>;
  /**
   * Called if the client stops sending, which is the only sign that a client left; returns a function that stops
   * listening.
   */
  whenGone(listener: () => void): () => void;
}

export type ReadBody =
  | { readonly kind: 'body'; readonly bytes: Uint8Array }
  | { readonly kind: 'too_large' }
  /** The client left before its body was complete: there is nobody to respond to. */
  | { readonly kind: 'gone' };
