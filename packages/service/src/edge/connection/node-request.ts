/** A request that Node's parser read; its body may still be arriving. */
import type { IncomingMessage } from 'node:http';
import type { Credential } from '../../exchange/credential.ts';
import type { HttpRequest, ReadBody } from '../../exchange/request.ts';
import { credentialOf } from '../../features/keys/authenticate.ts';
import { readBody } from './read-body.ts';
import { whenGone } from './when-gone.ts';

export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #incoming: IncomingMessage;
  #sendContinue: (() => void) | null;

  /** `sendContinue` is for a client that waits for `100 Continue` before it sends its body. */
  constructor(incoming: IncomingMessage, sendContinue: (() => void) | null) {
    const [path, query] = splitTarget(incoming.url ?? '/');
    this.method = incoming.method ?? 'GET';
    this.path = path;
    this.query = query;
    this.#incoming = incoming;
    this.#sendContinue = sendContinue;
  }

  get peer(): string {
    return this.#incoming.socket.remoteAddress ?? '';
  }

  /** Whether the client still waits for `100 Continue`. */
  get awaitsContinue(): boolean {
    return this.#sendContinue !== null;
  }

  header(name: string): string | undefined {
    return this.#incoming.headers[name]?.toString();
  }

  /** Reads the raw headers, because for some names Node keeps the first header and silently drops the others. */
  sentTwice(name: string): boolean {
    const { rawHeaders } = this.#incoming;
    let count = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const sent = rawHeaders[at]!;
      if (sent.length === name.length && sent.toLowerCase() === name) count += 1;
    }
    return count > 1;
  }

  credential(): Credential {
    return credentialOf(this.header('authorization'));
  }

  body(limitBytes: number): Promise<ReadBody> {
    if (Number(this.header('content-length') ?? 0) <= limitBytes) {
      this.#sendContinue?.();
      this.#sendContinue = null;
    }
    return readBody(this.#incoming, limitBytes);
  }

  whenGone(listener: () => void): () => void {
    return whenGone(this.#incoming.socket, listener);
  }
}

/** Path and query; for a target in absolute form, only what follows the authority. */
function splitTarget(target: string): readonly [string, string] {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const at = local.indexOf('?');
  return at === -1 ? [local, ''] : [local.slice(0, at), local.slice(at + 1)];
}
