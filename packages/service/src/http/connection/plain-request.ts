/** A request that the plain parser read whole. */
import type { Socket } from 'node:net';
import type { HttpRequest, ReadBody } from '../request.ts';
import type { PlainHead } from './plain-head.ts';
import { whenGone } from './when-gone.ts';

export class PlainRequest implements HttpRequest {
  readonly method = 'POST';
  readonly query = '';
  readonly #head: PlainHead;
  readonly #body: Uint8Array;
  readonly #socket: Socket;

  constructor(head: PlainHead, body: Uint8Array, socket: Socket) {
    this.#head = head;
    this.#body = body;
    this.#socket = socket;
  }

  get path() {
    return this.#head.path;
  }

  get peer() {
    return this.#socket.remoteAddress ?? '';
  }

  header(name: string) {
    return this.#head.header(name);
  }

  /** INVARIANT: a head with a repeated header is not plain. */
  sentTwice() {
    return false;
  }

  credential() {
    return this.#head.credential();
  }

  body(limitBytes: number): ReadBody {
    return this.#body.length > limitBytes ? { kind: 'too_large' } : { kind: 'body', bytes: this.#body };
  }

  whenGone(listener: () => void) {
    return whenGone(this.#socket, listener);
  }
}
