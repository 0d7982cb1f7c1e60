/** Writes responses to a bare socket or through `node:http`, with the same bytes either way. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Answer } from '../exchange/answer.ts';
import { STATUS_CODES, validateHeaderValue } from '../support/node-http.ts';
import { redact } from '../support/observability/redact.ts';
import { rememberLast } from '../support/remember-last.ts';

/** How long a connection is kept for the next request, or that it closes after this response. */
export type Keeping = { readonly kind: 'keep'; readonly idleMs: number } | { readonly kind: 'close' };

const CLOSE: Keeping = { kind: 'close' };
/** A stream holds memory and a place for as long as its client reads. */
const UNREAD_MS = 60_000;

/** False if the client reads the response more slowly than it is written. */
export function respondOnSocket(
  socket: Socket,
  answer: Answer,
  requestId: string,
  keeping: Keeping = CLOSE,
): boolean {
  const body = bodyOf(answer) ?? '';
  const connection =
    keeping.kind === 'close'
      ? 'Connection: close\r\n\r\n'
      : `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keeping.idleMs / 1_000)}\r\n\r\n`;
  // The headers have the order and spelling of node:http.
  const start = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\nx-request-id: ${answer.requestId ?? requestId}\r\nx-content-type-options: nosniff\r\n${fieldsOf(answer.headers)}`;
  const end = `\r\nDate: ${dateOf(Math.floor(Date.now() / 1_000))}\r\n${connection}`;
  if (typeof body === 'string') {
    // As many bytes as characters means ASCII, which nearly all responses are: one write then sends head and body.
    const whole = `${start}content-length: ${body.length}${end}${body}`;
    if (Buffer.byteLength(whole) === whole.length) return socket.write(whole, 'latin1');
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  socket.cork();
  socket.write(`${start}content-length: ${bytes.length}${end}`, 'latin1');
  const isTaken = socket.write(bytes);
  socket.uncork();
  return isTaken;
}

/** Resolves once the response is handed over; rejects if its stream breaks, and then the connection must be cut. */
export async function respondOnNode(
  response: ServerResponse,
  answer: Answer,
  requestId: string,
  isLast: boolean,
  unreadMs = UNREAD_MS,
): Promise<void> {
  if (isLast) response.shouldKeepAlive = false;
  const isHead = response.req.method === 'HEAD';
  const headers: string[] = [
    'x-request-id',
    answer.requestId ?? requestId,
    'x-content-type-options',
    'nosniff',
  ];
  for (const name in answer.headers) headers.push(name, answer.headers[name]!);
  if (answer.stream !== undefined) {
    response.writeHead(answer.status, headers);
    if (isHead) response.end();
    else await sendStream(response, answer.stream, unreadMs);
    return;
  }
  const body = bodyOf(answer);
  const length = body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  if (body !== null) headers.push('content-length', String(length));
  response.writeHead(answer.status, headers);
  if (body === null || isHead) response.end();
  // Node writes a string together with the head, in one encoding; the head may echo bytes beyond ASCII.
  else if (length === body.length) response.end(body, 'latin1');
  else response.end(Buffer.from(body));
}

/** A broken stream is cut, never ended as if it were whole; a client that leaves, or reads nothing, ends it. */
async function sendStream(
  response: ServerResponse,
  stream: AsyncIterable<string>,
  unreadMs: number,
): Promise<void> {
  const { socket } = response.req;
  // The timeout also passes if we are slow, and then nothing waits to be read.
  response.setTimeout(unreadMs, () => response.writableLength > 0 && response.destroy());
  try {
    await pipeline(Readable.from(stream), response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  } finally {
    // Unless it is now the timeout of an unused connection.
    if (socket.timeout === unreadMs) socket.setTimeout(0);
  }
}

/** An error may repeat request text, such as a path; a key in that text is not repeated. */
function bodyOf({ status, body }: Answer): Answer['body'] {
  return status >= 400 && typeof body === 'string' ? redact(body) : body;
}

/** INVARIANT: what node:http refuses to write is not written to a socket either. */
function fieldsOf(headers: Answer['headers']): string {
  let fields = '';
  for (const name in headers) {
    const value = headers[name]!;
    validateHeaderValue(name, value);
    fields += `${name}: ${value}\r\n`;
  }
  return fields;
}

/** Uses the system clock, as node:http does; remembers for a second: `npm run bench -- micro`, case `respond`. */
const dateOf = rememberLast((second: number): string => new Date(second * 1_000).toUTCString());
