/**
 * The short way for checks: a whole plain request in one piece is answered straight from the socket, without the
 * streams and events around it. Whatever is not that, or is not to be admitted, goes the ordinary way, and so does
 * everything after it on the same connection: this way only ever leads to an answer of the check itself.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { CheckAnswer } from '../check-write/answer.ts';
import type { CheckCall } from '../check-write/check-write.ts';
import { type Authentication, digestOfHeader } from '../keys/authenticate.ts';
import { redact } from '../observability/redact.ts';
import type { Answer } from './answer.ts';
import { type PlainHead, readPlainHead } from './plain-head.ts';
import { type RequestContext, requestContext } from './request-context.ts';

export interface LaneParts {
  readonly clock: () => number;
  /** `digest` is that of the secret. */
  readonly authenticate: (digest: string, nowMs: number) => Authentication | Promise<Authentication>;
  readonly check: (call: CheckCall) => Promise<CheckAnswer>;
  readonly failed: (error: unknown, context: RequestContext) => Answer;
  /** Takes the connection as if it had just come, with everything that was read from it but not answered. */
  readonly handOver: (socket: Socket) => void;
  readonly isDraining: () => boolean;
  readonly finished: (head: PlainHead, context: RequestContext, status: number, durationMs: number) => void;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

export interface CheckLane {
  take(socket: Socket): void;
  /** How many connections are on it. */
  readonly size: number;
  closeIdle(): void;
  closeAll(): void;
  /** Once there are no connections any more. */
  stop(): void;
}

interface Connection {
  readonly socket: Socket;
  isAnswering: boolean;
  /** Since when, by `performance.now()`, and for how long it may lie idle. */
  idleSinceMs: number;
  idleMaxMs: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');
/** Longer ones are rare, and not worth looking for their end. */
const HEAD_BYTES_MAX = 4_096;
const LOOK_EVERY_MS = 1_000;

export function checkLane(parts: LaneParts): CheckLane {
  const connections = new Set<Connection>();
  // Not by the timeout of each socket, which would be set anew with every byte that comes or goes.
  const look = setInterval(() => {
    const nowMs = performance.now();
    for (const { socket, isAnswering, idleSinceMs, idleMaxMs } of connections) {
      if (!isAnswering && nowMs - idleSinceMs > idleMaxMs) socket.destroy();
    }
  }, LOOK_EVERY_MS);
  look.unref();

  function take(socket: Socket): void {
    const connection: Connection = {
      socket,
      isAnswering: false,
      idleSinceMs: performance.now(),
      idleMaxMs: parts.firstByteTimeoutMs,
    };
    connections.add(connection);
    let lastText = '';
    let lastHead: PlainHead | null = null;
    let lastDigest: string | null = null;
    let hasEnded = false;
    let early: Buffer | null = null;

    const leave = () => {
      connections.delete(connection);
      socket.off('data', onData).off('end', onEnd).off('timeout', onTimeout).off('error', onError);
      socket.off('close', onClose);
      socket.setTimeout(0);
    };
    const handOver = (unread: Buffer) => {
      leave();
      // As there, a caller that hung up gets no answer.
      if (hasEnded) return void socket.destroy();
      socket.pause();
      socket.unshift(unread);
      parts.handOver(socket);
      socket.resume();
    };
    const headOf = (chunk: Buffer, end: number): PlainHead | null => {
      const text = chunk.toString('latin1', 0, end);
      // Most callers send the same head again and again.
      if (text !== lastText) {
        lastText = text;
        lastHead = readPlainHead(text);
        const digest = lastHead === null ? null : digestOfHeader(lastHead.authorization);
        lastDigest = typeof digest === 'string' ? digest : null;
      }
      return lastDigest === null ? null : lastHead;
    };

    /** INVARIANT: as on the ordinary way, whatever breaks here ends one connection and nothing else. */
    const broken = (error: unknown) => {
      socket.destroy();
      parts.failed(error, requestContext({}, parts.clock()));
    };
    const unlessBroken = (act: () => void) => {
      try {
        act();
      } catch (error) {
        broken(error);
      }
    };
    const onData = (chunk: Buffer) => unlessBroken(() => read(chunk));
    const read = (chunk: Buffer) => {
      if (connection.isAnswering) {
        // The next request before the answer: both are for the ordinary way, in order.
        socket.pause();
        early = early === null ? chunk : Buffer.concat([early, chunk]);
        return;
      }
      const end = chunk.indexOf(HEAD_END);
      const head = end === -1 || end > HEAD_BYTES_MAX ? null : headOf(chunk, end);
      if (head === null || chunk.length !== end + HEAD_END.length + head.bodyBytes) return handOver(chunk);
      const nowMs = parts.clock();
      connection.isAnswering = true;
      const authentication = parts.authenticate(lastDigest!, nowMs);
      if (!(authentication instanceof Promise)) return admit(authentication, chunk, head, nowMs);
      authentication
        // Whatever is wrong meets the ordinary way too, which has words for it.
        .catch(() => null)
        .then((known) => admit(known, chunk, head, nowMs))
        .catch(broken);
    };
    const admit = (known: Authentication | null, chunk: Buffer, head: PlainHead, nowMs: number): void => {
      if (socket.destroyed) return;
      if (known?.kind !== 'key' || known.key.kind === 'owner') {
        handOver(early === null ? chunk : Buffer.concat([chunk, early]));
        return;
      }
      const context = requestContext(
        { 'x-request-id': head.requestId, traceparent: head.traceparent },
        nowMs,
      );
      const call: CheckCall = {
        // INVARIANT: the kind was looked at above.
        key: known.key as CheckCall['key'],
        body: chunk.subarray(chunk.length - head.bodyBytes),
        requestId: context.requestId,
        traceId: context.traceId,
        clockMs: nowMs,
        idempotencyHeader: head.idempotencyKey,
        preferHeader: head.prefer,
      };
      const startedMs = performance.now();
      parts.check(call).then(
        (answer: Answer) => unlessBroken(() => finish(answer, head, context, startedMs)),
        (error: unknown) =>
          unlessBroken(() => finish(parts.failed(error, context), head, context, startedMs)),
      );
    };
    const finish = (answer: Answer, head: PlainHead, context: RequestContext, startedMs: number) => {
      if (socket.destroyed) return;
      const isLast = hasEnded || parts.isDraining();
      connection.isAnswering = false;
      const isTaken = send(socket, answer, context, isLast, parts.idleTimeoutMs);
      lieIdle();
      parts.finished(head, context, answer.status, connection.idleSinceMs - startedMs);
      if (isLast) {
        waitForReader();
        socket.end();
        return;
      }
      if (early !== null) return handOver(early);
      if (isTaken) return;
      // A caller that does not read its answers is not read either.
      waitForReader();
      socket.pause();
      socket.once('drain', () => {
        socket.setTimeout(0);
        lieIdle();
        socket.resume();
      });
    };
    const lieIdle = () => {
      connection.idleSinceMs = performance.now();
      connection.idleMaxMs = parts.idleTimeoutMs;
    };
    /** Idle is not who reads a long answer bit by bit, and only the socket itself knows about that. */
    const waitForReader = () => {
      connection.idleMaxMs = Number.POSITIVE_INFINITY;
      socket.setTimeout(parts.idleTimeoutMs);
    };
    const onEnd = () => {
      hasEnded = true;
      if (!connection.isAnswering) socket.end();
    };
    const onTimeout = () => socket.destroy();
    const onError = () => socket.destroy();
    const onClose = () => connections.delete(connection);

    socket.on('data', onData).on('end', onEnd).on('timeout', onTimeout).on('error', onError);
    socket.on('close', onClose);
  }

  return {
    take,
    get size() {
      return connections.size;
    },
    closeIdle() {
      for (const { socket, isAnswering } of connections) {
        if (!isAnswering && socket.writableLength === 0) socket.destroy();
      }
    },
    closeAll() {
      for (const { socket } of connections) socket.destroy();
    },
    stop: () => clearInterval(look),
  };
}

/** False where the caller does not take what it is sent. */
function send(
  socket: Socket,
  { status, headers, body: sent }: Answer,
  { requestId }: RequestContext,
  isLast: boolean,
  idleTimeoutMs: number,
): boolean {
  // An error may repeat what was sent; a key that was sent there is not repeated.
  const body = status >= 400 && typeof sent === 'string' ? redact(sent) : (sent ?? '');
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nx-request-id: ${requestId}\r\nx-content-type-options: nosniff\r\n${fieldsOf(headers)}`;
  const end = isLast
    ? `date: ${dateText()}\r\nconnection: close\r\n\r\n`
    : `date: ${dateText()}\r\nconnection: keep-alive\r\nkeep-alive: timeout=${idleTimeoutMs / 1_000}\r\n\r\n`;
  if (typeof body === 'string') {
    // As many bytes as characters means ASCII, which nearly all answers are and which is written faster as such.
    const whole = `${start}content-length: ${body.length}\r\n${end}${body}`;
    if (Buffer.byteLength(whole) === whole.length) return socket.write(whole, 'latin1');
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  socket.cork();
  socket.write(`${start}content-length: ${bytes.length}\r\n${end}`, 'latin1');
  const isTaken = socket.write(bytes);
  socket.uncork();
  return isTaken;
}

let lastHeaders: Answer['headers'] = {};
let lastFields = '';

/** Most answers have the very same headers. */
function fieldsOf(headers: Answer['headers']): string {
  if (headers !== lastHeaders) {
    let fields = '';
    for (const name in headers) fields += `${name}: ${headers[name]}\r\n`;
    lastHeaders = headers;
    lastFields = fields;
  }
  return lastFields;
}

let dateSecond = -1;
let date = '';

/** Of the system's clock, as Node's own server has it; spelt once a second. */
function dateText(): string {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = new Date(second * 1_000).toUTCString();
  }
  return date;
}
