/** Reads checks and outcomes that have nothing unusual about them, which is nearly all, without `node:http`. */
import type { Socket } from 'node:net';
import type { Credential } from '../../exchange/credential.ts';
import type { HttpRequest, ReadBody } from '../../exchange/request.ts';
import { whenGone } from './when-gone.ts';

const PATHS = ['/v1/check-write', '/api/v1/check-write', '/access/v1/evaluation'];
const START_LINES = new Map(PATHS.map((path) => [`POST ${path} HTTP/1.1`, path]));
const OUTCOME_LINE = /^POST (\/v1\/decisions\/dec_[0-9a-f]{32}\/outcome) HTTP\/1\.1$/;
/** Printable ASCII, so no stray line break. */
const VISIBLE = /^[\x20-\x7e]*$/;
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

class PlainHead {
  readonly path: string;
  readonly bodyBytes: number;
  /** The place of each value in `values`, by the header's name in lower case. */
  readonly places: ReadonlyMap<string, number>;
  readonly values: readonly string[];

  constructor(
    path: string,
    bodyBytes: number,
    places: ReadonlyMap<string, number>,
    values: readonly string[],
  ) {
    this.path = path;
    this.bodyBytes = bodyBytes;
    this.places = places;
    this.values = values;
  }

  /** `name` is in lower case. */
  header(name: string): string | undefined {
    const place = this.places.get(name);
    return place === undefined ? undefined : this.values[place];
  }
}

/**
 * Returns null for anything unusual, which Node's own parser then reads.
 * INVARIANT: Node must read every accepted head the same way; otherwise a request could be smuggled.
 */
function headOf(lines: readonly string[]): PlainHead | null {
  const places = new Map<string, number>();
  const values: string[] = [];
  for (let i = 1; i < lines.length; i += 1) {
    const line = lines[i]!;
    const colon = line.indexOf(':');
    const sent = line.slice(0, colon === -1 ? 0 : colon);
    // A line that is not a header, or a folded header, is not plain.
    if (!NAME.test(sent) || !VISIBLE.test(line)) return null;
    const name = sent.toLowerCase();
    // INVARIANT: no header appears twice; Node joins some of them and keeps the first of others.
    if (UNUSUAL.has(name) || places.has(name)) return null;
    places.set(name, values.push(line.slice(colon + 1).trim()) - 1);
  }
  return headWith(lines[0]!, places, values);
}

/** Checks what depends on the values. */
function headWith(
  startLine: string,
  places: ReadonlyMap<string, number>,
  values: readonly string[],
): PlainHead | null {
  const path = START_LINES.get(startLine) ?? OUTCOME_LINE.exec(startLine)?.[1];
  const of = (name: string): string | undefined => values[places.get(name) ?? -1];
  const length = of('content-length');
  const connection = of('connection');
  if (path === undefined || !of('host') || length === undefined || !LENGTH.test(length)) return null;
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return null;
  return new PlainHead(path, Number(length), places, values);
}

/**
 * Reads the heads of a connection, most of which equal the one before except for the first line or some values,
 * such as a length or an `Idempotency-Key`. Then only those are read. `npm run bench -- micro`, case
 * `plain-connection`.
 */
export class HeadReader {
  #text = '';
  #rest = '';
  #lines: readonly string[] | null = null;
  #head: PlainHead | null = null;

  /** `text` is everything before the empty line. */
  read(text: string): PlainHead | null {
    if (text === this.#text) return this.#head;
    const end = text.indexOf('\r\n');
    const rest = text.slice(end);
    let lines: readonly string[] | null = null;
    if (this.#head !== null && rest === this.#rest) {
      this.#head = headWith(text.slice(0, end), this.#head.places, this.#head.values);
    } else {
      lines = text.split('\r\n');
      this.#head = this.#alike(lines) ?? headOf(lines);
    }
    this.#text = text;
    this.#rest = rest;
    this.#lines = lines;
    return this.#head;
  }

  /** INVARIANT: line for line, the names equal those of a plain head, so this head is read the same way. */
  #alike(lines: readonly string[]): PlainHead | null {
    const before = this.#head;
    if (before === null) return null;
    const knownLines = this.#lines ?? this.#text.split('\r\n');
    if (lines.length !== knownLines.length) return null;
    const values = before.values.slice();
    for (let i = 1; i < lines.length; i += 1) {
      const line = lines[i]!;
      const known = knownLines[i]!;
      if (line === known) continue;
      const colon = known.indexOf(':');
      if (!line.startsWith(known.slice(0, colon + 1)) || !VISIBLE.test(line)) return null;
      values[i - 1] = line.slice(colon + 1).trim();
    }
    return headWith(lines[0]!, before.places, values);
  }
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
