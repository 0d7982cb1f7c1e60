/** A request as the gates and the routes see it, whichever parser read it. */
import type { Credential } from '../keys/authenticate.ts';

export interface HttpRequest {
  readonly method: string;
  /** Without the query, and without the authority of an absolute target. */
  readonly path: string;
  /** What follows the question mark, or an empty text. */
  readonly query: string;
  /** The address of the other end of the connection. */
  readonly peer: string;
  /** `name` is in lower case. A header that was sent several times is read as Node reads it: joined, or the first. */
  header(name: string): string | undefined;
  /** Whether a header came more than once, which `header` may not show. `name` is in lower case. */
  sentTwice(name: string): boolean;
  /** What the `Authorization` header says. */
  credential(): Credential;
  /** At most once. A promise only if the body has not arrived yet. */
  body(limitBytes: number): ReadBody | Promise<ReadBody>;
  /** Told if the client sends no more, which is all that can be seen of one that left; returns the way to stop. */
  whenGone(listener: () => void): () => void;
}

export type ReadBody =
  | { readonly kind: 'body'; readonly bytes: Uint8Array }
  | { readonly kind: 'too_large' }
  /** The client went away before its body was complete: there is nobody to answer. */
  | { readonly kind: 'gone' };
