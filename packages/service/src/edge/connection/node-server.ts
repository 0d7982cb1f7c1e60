/** The server at the socket: limits for slow and hostile clients, one response per request, and draining. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { refuse } from '../../exchange/refusal.ts';
import { type RequestContext, requestContext } from '../../exchange/request-context.ts';
import { createServer } from '../../support/node-http.ts';
import { respondOnNode } from '../write-response.ts';
import type { ConnectionParts } from './connection-parts.ts';
import { IdleSweep } from './idle-sweep.ts';
import { NodeConnection } from './node-connection.ts';
import { NodeRequest } from './node-request.ts';
import { PlainConnection } from './plain-connection.ts';
import { discardBody } from './read-body.ts';
import { HEAD_LIMITS, refuseBytes, refuseHead, refuseSocket } from './refuse-socket.ts';

/** Longer than the idle time of common load balancers, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const CHECK_INTERVAL_MS = 1_000;
const DRAIN_LOOK_MS = 20;

export interface HttpServer {
  readonly server: Server;
  /** Takes no new connections, sends every response in flight, and cuts the remaining connections at the deadline. */
  drain(times: DrainTimes): Promise<void>;
}

export interface DrainTimes {
  /** How long a connection may be idle: its next request may already be on the wire, and is then its last. */
  readonly idleGraceMs: number;
  readonly deadlineMs: number;
}

export function httpServer(parts: ConnectionParts): HttpServer {
  const connections = new WeakMap<Socket, NodeConnection>();
  const server = newServer();
  const plain = plainConnections(server, parts, connections);
  const take = (
    incoming: IncomingMessage,
    response: ServerResponse,
    sendContinue: (() => void) | null,
  ): void => {
    connections.get(incoming.socket)!.took(incoming, response);
    handle(parts, plain, incoming, response, sendContinue);
  };
  server.on('request', (request, response) => take(request, response, null));
  server.on('checkContinue', (request, response) => take(request, response, () => response.writeContinue()));
  server.on('checkExpectation', (request: IncomingMessage) => {
    const message = 'an expectation other than `100-continue` cannot be met; send no `Expect` header';
    refuseSocket(request.socket, refuse('invalid_request', message), 417, parts.clock());
  });
  server.on('connect', (_request, socket: Socket) => {
    refuseSocket(socket, refuse('method_not_allowed', 'this is not a proxy'), 405, parts.clock());
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const connection = connections.get(socket);
    connection?.stop();
    const { request, response, before } = connection?.newest ?? {};
    const isMidAnswer = response?.headersSent && !response.writableFinished;
    if (isMidAnswer || !socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const tell = () => refuseSocket(socket, refuseBytes(error.code), 400, parts.clock());
    // Earlier requests get their responses first, so that a client cannot mistake this one for the response to a
    // check. If the body of the newest request is broken, this is the response to that request.
    const first = request?.complete === false ? before : response;
    if (first === undefined || first.writableFinished) tell();
    else first.once('finish', tell);
  });
  return { server, drain: (times) => drain(server, plain, times) };
}

function newServer(): Server {
  const server = createServer({
    maxHeaderSize: HEAD_LIMITS.bytes,
    headersTimeout: HEAD_LIMITS.timeoutMs,
    requestTimeout: HEAD_LIMITS.requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    noDelay: true,
    requireHostHeader: false,
  });
  // A client that half-closes still gets its responses; the property is not in the types.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  return server;
}

/** INVARIANT: an error here ends one connection and nothing else. */
function handle(
  parts: ConnectionParts,
  plain: PlainConnections,
  incoming: IncomingMessage,
  response: ServerResponse,
  sendContinue: (() => void) | null,
): void {
  const { socket } = incoming;
  // We check this ourselves, so that the response uses the error envelope too.
  const refused = refuseHead(incoming);
  if (refused !== null) return void refuseSocket(socket, refused, 400, parts.clock());
  const request = new NodeRequest(incoming, sendContinue);
  const context = requestContext(request, parts.clock());
  exchange(parts, plain, request, context, response).catch((error) => {
    socket.destroy();
    parts.failed(error, context);
  });
}

async function exchange(
  parts: ConnectionParts,
  plain: PlainConnections,
  request: NodeRequest,
  context: RequestContext,
  response: ServerResponse,
): Promise<void> {
  const startedMs = performance.now();
  const incoming = response.req;
  const answer = await parts.handle(request, context);
  try {
    if (answer === null || response.destroyed) return void incoming.socket.destroy();
    // A client that still waits for `100 Continue` may or may not send its body: the bytes that follow are ambiguous.
    await respondOnNode(response, answer, context.requestId, plain.isDraining || request.awaitsContinue);
  } finally {
    // Also if nothing of it was sent: it may hold a place.
    answer?.stream?.return(undefined).catch(() => undefined);
  }
  if (!incoming.complete) discardBody(incoming);
  const durationMs = performance.now() - startedMs;
  const { status, code = null } = answer;
  parts.finished({ request, context, status, code, durationMs });
}

async function drain(
  server: Server,
  plain: PlainConnections,
  { idleGraceMs, deadlineMs }: DrainTimes,
): Promise<void> {
  plain.isDraining = true;
  // Not the server's own close, which cuts idle connections immediately, along with requests on the wire.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  const startedMs = performance.now();
  const look = setInterval(() => {
    const drainingMs = performance.now() - startedMs;
    if (drainingMs >= deadlineMs) {
      server.closeAllConnections();
      plain.closeAll();
    } else if (drainingMs >= idleGraceMs) {
      // Requests that have arrived are read first: on a busy machine this timer is as late as the reading.
      setImmediate(() => {
        server.closeIdleConnections();
        plain.closeUnused();
      });
    }
  }, DRAIN_LOOK_MS);
  await closed;
  clearInterval(look);
  // Stops the timers; no connection is left to cut.
  server.close();
  plain.stop();
}

type PlainConnections = IdleSweep<PlainConnection>;

/** Every connection starts as a plain one, and moves to the server as soon as something on it is not plain. */
function plainConnections(
  server: Server,
  parts: ConnectionParts,
  connections: WeakMap<Socket, NodeConnection>,
): PlainConnections {
  const [takeOver] = server.listeners('connection') as ((socket: Socket) => void)[];
  const sweep = new IdleSweep<PlainConnection>();
  const plainParts = {
    ...parts,
    handOver: (socket: Socket) => {
      takeOver!.call(server, socket);
      connections.set(socket, new NodeConnection(socket));
    },
    firstByteTimeoutMs: HEAD_LIMITS.timeoutMs,
    idleTimeoutMs: KEEP_ALIVE_TIMEOUT_MS,
  };
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => void new PlainConnection(plainParts, sweep, socket));
  return sweep;
}
