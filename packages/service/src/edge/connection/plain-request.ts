/** The requests that nearly all are, a check or an outcome with nothing unusual about it, read without `node:http`. */
import type { Socket } from 'node:net';
import type { Credential } from '../../exchange/credential.ts';
import type { HttpRequest, ReadBody } from '../../exchange/request.ts';
import { whenGone } from './when-gone.ts';

const PATHS = ['/v1/check-write', '/api/v1/check-write', '/access/v1/evaluation'];
const START_LINES = new Map(PATHS.map((path) => [`POST ${path} HTTP/1.1`, path]));
const OUTCOME_LINE = /^POST (\/v1\/decisions\/dec_[0-9a-f]{32}\/outcome) HTTP\/1\.1$/;
const VISIBLE = /^[\x20-\x7e\r\n]*$/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const LENGTH = /^[1-9]\d{0,5}$/;

/** Headers about the framing or handling of a request, which only Node's parser supports. */
const UNUSUAL: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'content-encoding',
  'expect',
  'upgrade',
  'te',
  'trailer',
  'keep-alive',
  'proxy-connection',
  'http2-settings',
]);

export class PlainHead {
  readonly path: string;
  readonly bodyBytes: number;
  readonly #headers: ReadonlyMap<string, string>;

  constructor(path: string, bodyBytes: number, headers: ReadonlyMap<string, string>) {
    this.path = path;
    this.bodyBytes = bodyBytes;
    this.#headers = headers;
  }

  /** `name` is in lower case. */
  header(name: string): string | undefined {
    return this.#headers.get(name);
  }
}

/**
 * Null for anything that needs a closer look; Node's own parser then reads it.
 * INVARIANT: whatever is read here, Node would read the same way; a difference between two parsers is a hole.
 * `text` is everything before the empty line.
 */
export function readPlainHead(text: string): PlainHead | null {
  if (!VISIBLE.test(text)) return null;
  const lines = text.split('\r\n');
  const path = START_LINES.get(lines[0]!) ?? OUTCOME_LINE.exec(lines[0]!)?.[1];
  if (path === undefined) return null;
  const headers = new Map<string, string>();
  for (let i = 1; i < lines.length; i += 1) {
    const line = lines[i]!;
    const colon = line.indexOf(':');
    const sent = line.slice(0, colon === -1 ? 0 : colon);
    // A line that is not a header, a folded header or a lone line end is not plain.
    if (!NAME.test(sent) || line.includes('\r') || line.includes('\n')) return null;
    const name = sent.toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (UNUSUAL.has(name) || (name === 'connection' && value.toLowerCase() !== 'keep-alive')) return null;
    // INVARIANT: no header appears twice; Node joins some of them and keeps the first of others.
    if (headers.has(name)) return null;
    headers.set(name, value);
  }
  const length = headers.get('content-length');
  if (!headers.get('host') || length === undefined || !LENGTH.test(length)) return null;
  return new PlainHead(path, Number(length), headers);
}

/** A head with the body that came with it. */
export class PlainRequest implements HttpRequest {
  readonly method = 'POST';
  readonly query = '';
  readonly #head: PlainHead;
  readonly #body: Uint8Array;
  readonly #socket: Socket;
  readonly #credentialOf: (header: string | undefined) => Credential;

  constructor(
    head: PlainHead,
    body: Uint8Array,
    socket: Socket,
    credentialOf: (header: string | undefined) => Credential,
  ) {
    this.#head = head;
    this.#body = body;
    this.#socket = socket;
    this.#credentialOf = credentialOf;
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
    return this.#credentialOf(this.header('authorization'));
  }

  body(limitBytes: number): ReadBody {
    return this.#body.length > limitBytes ? { kind: 'too_large' } : { kind: 'body', bytes: this.#body };
  }

  whenGone(listener: () => void) {
    return whenGone(this.#socket, listener);
  }
}
