/**
 * A connection that is read without the streams and events of `node:http`. It takes whole plain requests for a check;
 * anything else on it, and everything after that, goes to Node's server. Both feed the same gates.
 */
import type { Socket } from 'node:net';
import { type RequestContext, requestContext, UNREAD } from '../../exchange/request-context.ts';
import { credentialOf } from '../../features/keys/authenticate.ts';
import { rememberLast } from '../../support/remember-last.ts';
import { type Keeping, respondOnSocket } from '../write-response.ts';
import type { ConnectionParts } from './connection-parts.ts';
import type { IdleSweep, Sweepable } from './idle-sweep.ts';
import { HeadReader, PlainRequest } from './plain-request.ts';

export interface PlainParts extends ConnectionParts {
  /** Takes over the connection as if it were new, with everything read from it but not answered. */
  readonly handOver: (socket: Socket) => void;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

type State =
  /** Waits for a request; the sweep eventually closes it. */
  | 'idle'
  /** A request is at the gates or behind them. */
  | 'answering'
  /** The client has not read its response yet; the socket's own timeout closes it if it never does. */
  | 'draining'
  /** Node's server has the socket. */
  | 'handed-over';

const HEAD_END = Buffer.from('\r\n\r\n');
/** Longer heads are rare, and not worth searching for their end. */
const HEAD_BYTES_MAX = 4_096;
const CLOSE: Keeping = { kind: 'close' };
const OUTCOME = 'POST /v1/decisions/';

export class PlainConnection implements Sweepable {
  readonly #parts: PlainParts;
  readonly #sweep: IdleSweep<PlainConnection>;
  readonly #socket: Socket;
  readonly #keep: Keeping;
  readonly #checks = new HeadReader();
  /** The head of an outcome names its decision. */
  readonly #outcomes = new HeadReader();
  /** A secret is hashed once for all requests in a row that bring it. */
  readonly #credentialOf = rememberLast(credentialOf);
  #state: State = 'idle';
  #idleUntilMs: number;
  /** The client will send nothing more. */
  #hasEnded = false;
  /** Bytes that arrived before the previous request had its response. */
  #early: Buffer | null = null;

  constructor(parts: PlainParts, sweep: IdleSweep<PlainConnection>, socket: Socket) {
    this.#parts = parts;
    this.#sweep = sweep;
    this.#socket = socket;
    this.#keep = { kind: 'keep', idleMs: parts.idleTimeoutMs };
    this.#idleUntilMs = performance.now() + parts.firstByteTimeoutMs;
    sweep.add(this);
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose);
    socket.on('timeout', this.#onFault).on('error', this.#onFault);
  }

  closeIfIdle(nowMs: number): void {
    if (this.#state === 'idle' && nowMs > this.#idleUntilMs) this.destroy();
  }

  closeIfUnused(): void {
    if (this.#state !== 'answering' && this.#socket.writableLength === 0) this.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    // No response may follow the last one.
    if (this.#socket.writableEnded) return;
    if (this.#state !== 'idle') {
      // The next request came before the response: Node's server reads it afterwards.
      this.#socket.pause();
      this.#early = this.#early === null ? chunk : Buffer.concat([this.#early, chunk]);
      return;
    }
    const end = chunk.indexOf(HEAD_END);
    const text = end === -1 || end > HEAD_BYTES_MAX ? '' : chunk.toString('latin1', 0, end);
    const head = (text.startsWith(OUTCOME) ? this.#outcomes : this.#checks).read(text);
    const isWhole = head !== null && chunk.length === end + HEAD_END.length + head.bodyBytes;
    if (!isWhole) return void this.#handOver(chunk);
    const request = new PlainRequest(
      head,
      chunk.subarray(chunk.length - head.bodyBytes),
      this.#socket,
      this.#credentialOf,
    );
    void this.#answer(request, requestContext(request, this.#parts.clock()));
  }

  async #answer(request: PlainRequest, context: RequestContext): Promise<void> {
    const startedMs = performance.now();
    this.#state = 'answering';
    try {
      const answer = await this.#parts.handle(request, context);
      if (this.#socket.destroyed) return;
      if (answer === null) return this.destroy();
      const isLast = this.#hasEnded || this.#sweep.isDraining;
      const keeping = isLast ? CLOSE : this.#keep;
      const isTaken = respondOnSocket(this.#socket, answer, context.requestId, keeping);
      const nowMs = performance.now();
      this.#becomeIdle(nowMs);
      const { status, code = null } = answer;
      this.#parts.finished({ request, context, status, code, durationMs: nowMs - startedMs });
      this.#afterResponse(isLast, isTaken);
    } catch (error) {
      this.#failConnection(error, context);
    }
  }

  #afterResponse(isLast: boolean, isTaken: boolean): void {
    const socket = this.#socket;
    if (isLast) {
      this.#waitForReader();
      socket.end();
    } else if (this.#early !== null) {
      this.#handOver(this.#early);
    } else if (!isTaken) {
      this.#waitForReader();
      // A client that does not read its responses is not read from either.
      socket.pause();
      socket.once('drain', this.#onDrain);
    }
  }

  #becomeIdle(nowMs: number): void {
    this.#state = 'idle';
    this.#idleUntilMs = nowMs + this.#parts.idleTimeoutMs;
  }

  /** A client that reads a long response slowly is not idle; only the socket's own timeout can tell. */
  #waitForReader(): void {
    this.#state = 'draining';
    this.#socket.setTimeout(this.#parts.idleTimeoutMs);
  }

  #handOver(unread: Buffer): void {
    const socket = this.#socket;
    this.#state = 'handed-over';
    this.#sweep.delete(this);
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    socket.off('timeout', this.#onFault).off('error', this.#onFault);
    socket.setTimeout(0);
    // As in Node's server, a client that hung up gets no response.
    if (this.#hasEnded) return void socket.destroy();
    socket.pause();
    socket.unshift(unread);
    this.#parts.handOver(socket);
    socket.resume();
  }

  /** INVARIANT: as with Node's server, an error here ends one connection and nothing else. */
  #failConnection(error: unknown, context: RequestContext): void {
    this.destroy();
    this.#parts.failed(error, context);
  }

  readonly #onData = (chunk: Buffer): void => {
    try {
      this.#read(chunk);
    } catch (error) {
      this.#failConnection(error, requestContext(UNREAD, this.#parts.clock()));
    }
  };

  readonly #onDrain = (): void => {
    this.#socket.setTimeout(0);
    this.#becomeIdle(performance.now());
    this.#socket.resume();
  };

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    if (this.#state !== 'answering') this.#socket.end();
  };

  readonly #onFault = (): void => {
    this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#sweep.delete(this);
  };
}
