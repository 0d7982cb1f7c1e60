/** The server at the socket: limits for slow and hostile callers, one answer per request, and a way to drain. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { problemAnswer } from '../check-write/answer.ts';
import { redact } from '../observability/redact.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { Answer } from './answer.ts';
import { type CheckLane, checkLane, type LaneParts } from './check-lane.ts';
import { discardBody } from './read-body.ts';
import { type RequestContext, requestContext } from './request-context.ts';

const HEADER_BYTES_MAX = 16 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 20_000;
/** Longer than the idle time of common load balancers, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const CHECK_INTERVAL_MS = 1_000;
const DRAIN_LOOK_MS = 20;

export interface HttpServer {
  readonly server: Server;
  /** Takes no new connection, lets every answer in flight go out, and cuts what is left at the deadline. */
  drain(times: DrainTimes): Promise<void>;
}

export interface DrainTimes {
  /** How long a connection may lie idle: its next request may be on the way already, and is then its last. */
  readonly idleGraceMs: number;
  readonly deadlineMs: number;
}

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly context: RequestContext;
  readonly headers: IncomingHttpHeaders;
  readonly durationMs: number;
}

/** Of one connection: the newest request, its answer, and the answer before that. */
interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly before: ServerResponse | undefined;
}

export interface ServerParts {
  readonly clock: () => number;
  readonly handle: (
    request: IncomingMessage,
    context: RequestContext,
    sendContinue: () => void,
  ) => Promise<Answer | null>;
  /** What a throw becomes; it also tells the log. */
  readonly failed: (error: unknown, context: RequestContext) => Answer;
  readonly finished?: (exchange: Exchange) => void;
  /** Where plain checks may take the short way. */
  readonly lane?: Pick<LaneParts, 'authenticate' | 'check'>;
}

export function httpServer(parts: ServerParts): HttpServer {
  const newest = new WeakMap<Socket, Asked>();
  let isDraining = false;

  async function exchange(request: IncomingMessage, response: ServerResponse, expectsContinue = false) {
    const startedMs = performance.now();
    const before = newest.get(request.socket)?.response;
    newest.set(request.socket, { request, response, before });
    // Our own check, so that this too is answered with the error envelope.
    const fault = faultOfHead(request);
    if (fault !== null) {
      refuseSocket(request.socket, refuse('malformed_json', fault), 400, parts.clock());
      return;
    }
    const context = requestContext(request.headers, parts.clock());
    let awaitsContinue = expectsContinue;
    const sendContinue = () => {
      if (awaitsContinue) response.writeContinue();
      awaitsContinue = false;
    };
    let answer: Answer | null;
    try {
      answer = await parts.handle(request, context, sendContinue);
    } catch (error) {
      answer = parts.failed(error, context);
    }
    if (answer === null || response.destroyed) {
      request.socket.destroy();
      return;
    }
    // A caller that still waits for leave to send its body may or may not send it: what follows cannot be told apart.
    const isLast = isDraining || awaitsContinue;
    if (answer.stream === undefined) send(request, response, context, answer, isLast);
    else await sendStream(request, response, context, { ...answer, stream: answer.stream }, isLast);
    const { method = '', url: path = '', headers } = request;
    const durationMs = performance.now() - startedMs;
    parts.finished?.({ method, path, status: answer.status, context, headers, durationMs });
  }

  /** INVARIANT: whatever breaks here ends one connection and nothing else. */
  function take(request: IncomingMessage, response: ServerResponse, expectsContinue = false): void {
    exchange(request, response, expectsContinue).catch((error) => {
      request.socket.destroy();
      parts.failed(error, requestContext(request.headers, parts.clock()));
    });
  }

  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    noDelay: true,
    requireHostHeader: false,
  });
  // Who has said all it will say still gets its answers; the property is not in the types.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  server.on('request', (request, response) => take(request, response));
  server.on('checkContinue', (request, response) => take(request, response, true));
  server.on('checkExpectation', (request: IncomingMessage) => {
    const message = 'an expectation other than `100-continue` cannot be met; send no `Expect` header';
    refuseSocket(request.socket, refuse('invalid_request', message), 417, parts.clock());
  });
  server.on('connect', (_request, socket: Socket) => {
    refuseSocket(socket, refuse('method_not_allowed', 'this is no proxy'), 405, parts.clock());
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const { request, response, before } = newest.get(socket) ?? {};
    const isMidAnswer = response?.headersSent && !response.writableFinished;
    if (isMidAnswer || !socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const tell = () =>
      refuseSocket(socket, refuse('malformed_json', clientFault(error.code)), 400, parts.clock());
    // What was asked before is answered before: nobody must take this for the answer to a check that was made. Where
    // the body of the newest one is broken, it is the newest one that this answers.
    const first = request?.complete === false ? before : response;
    if (first === undefined || first.writableFinished) tell();
    else first.once('finish', tell);
  });

  const lane = parts.lane === undefined ? null : laneBefore(server, parts, parts.lane, () => isDraining);

  async function drain({ idleGraceMs, deadlineMs }: DrainTimes): Promise<void> {
    isDraining = true;
    // Not the server's own close, which cuts idle connections at once, and with them requests already on the wire.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    const startedMs = performance.now();
    const look = setInterval(() => {
      const drainingMs = performance.now() - startedMs;
      if (drainingMs >= deadlineMs) {
        server.closeAllConnections();
        lane?.closeAll();
      } else if (drainingMs >= idleGraceMs) {
        server.closeIdleConnections();
        lane?.closeIdle();
      }
    }, DRAIN_LOOK_MS);
    await closed;
    clearInterval(look);
    // Stops the timers; nothing is left to cut.
    server.close();
    lane?.stop();
  }

  return { server, drain };
}

/** Every connection begins on the lane, and is the server's own once it is not plain any more. */
function laneBefore(
  server: Server,
  { clock, failed, finished }: ServerParts,
  lane: NonNullable<ServerParts['lane']>,
  isDraining: () => boolean,
): CheckLane {
  const [ordinary] = server.listeners('connection') as ((socket: Socket) => void)[];
  const made = checkLane({
    ...{ clock, failed, isDraining, ...lane },
    handOver: (socket) => ordinary!.call(server, socket),
    finished: ({ path, traceparent }, context, status, durationMs) =>
      finished?.({ method: 'POST', path, status, context, headers: { traceparent }, durationMs }),
    firstByteTimeoutMs: HEADERS_TIMEOUT_MS,
    idleTimeoutMs: KEEP_ALIVE_TIMEOUT_MS,
  });
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => made.take(socket));
  return made;
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
  answer: Answer,
  isLast: boolean,
): void {
  const headers: string[] = ['x-request-id', context.requestId, 'x-content-type-options', 'nosniff'];
  for (const name in answer.headers) headers.push(name, answer.headers[name]!);
  // An error may repeat what was sent, in a path for instance; a key that was sent there is not repeated.
  const isError = answer.status >= 400 && typeof answer.body === 'string';
  const body = isError ? redact(answer.body as string) : answer.body;
  const length = body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  if (body !== null) headers.push('content-length', String(length));
  if (isLast) headers.push('connection', 'close');
  response.writeHead(answer.status, headers);
  if (body === null || request.method === 'HEAD') response.end();
  // As many bytes as characters means ASCII, which is written faster under its own name.
  else response.end(body, length === body.length ? 'latin1' : 'utf8');
  if (!request.complete) discardBody(request);
}

/** A stream that breaks is cut and never ended as if it were whole; a caller that goes away ends it. */
async function sendStream(
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
  { status, headers, stream }: Answer & Required<Pick<Answer, 'stream'>>,
  isLast: boolean,
): Promise<void> {
  const last = isLast ? { connection: 'close' } : {};
  response.writeHead(status, {
    'x-request-id': context.requestId,
    'x-content-type-options': 'nosniff',
    ...headers,
    ...last,
  });
  if (request.method === 'HEAD') return void response.end();
  try {
    await pipeline(Readable.from(stream), response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/** Answers a caller with whom there is no HTTP conversation, and hangs up. */
function refuseSocket(socket: Socket, refusal: Refusal, status: number, nowMs: number): void {
  const context = requestContext({}, nowMs);
  const { headers, body: told } = problemAnswer(context, refusal);
  const body = (told as string).replace(/"status":\d+/, `"status":${status}`);
  const lines = Object.entries({
    ...headers,
    'x-request-id': context.requestId,
    'x-content-type-options': 'nosniff',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () =>
    socket.destroy(),
  );
}

function faultOfHead({ httpVersion, headers, headersDistinct }: IncomingMessage): string | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'the request is not HTTP/1.1';
  if ((headersDistinct.host?.length ?? 0) > 1) return 'the request names more than one host';
  return httpVersion === '1.1' && headers.host === undefined ? 'the request names no host' : null;
}

function clientFault(code: string | undefined): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return `the request's head is larger than ${HEADER_BYTES_MAX} bytes`;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return `the request took too long to arrive; its head has ${HEADERS_TIMEOUT_MS / 1_000} s and all of it ${REQUEST_TIMEOUT_MS / 1_000} s`;
    default:
      return 'the request is not valid HTTP/1.1';
  }
}
