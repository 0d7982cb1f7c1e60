/** A connection of Node's server, read only as far as its requests may be in progress together. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Node limits the bytes of responses that wait, but not the requests that wait for a response. */
export const UNANSWERED_MAX = 8;

const LINE_END = 0x0a;
/** Every head that Node accepts ends with it, and so does every body in chunks. */
const EMPTY_LINE = Buffer.from('\n\r\n');
/** A body in chunks may hold thousands of empty lines; other connections come in between. */
const STEPS_MAX = 1_000;

interface Newest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The response before that. */
  readonly before: ServerResponse | undefined;
}

export class NodeConnection {
  readonly #socket: Socket;
  readonly #parse: (bytes: Buffer) => void;
  #newest: Newest | null = null;
  #unanswered = 0;
  /** Of the newest request. Zero if its body comes in chunks. */
  #bodyBytesLeft = 0;
  /** Whether this is what paused the socket. */
  #isWaiting = false;
  #isOver = false;

  /** Takes the place of the listener with which Node's server has just begun to read. */
  constructor(socket: Socket) {
    this.#socket = socket;
    const [parse] = socket.listeners('data') as ((bytes: Buffer) => void)[];
    this.#parse = parse!;
    // With another listener, Node no longer parses inside the socket, where nothing could stop it.
    socket.on('data', this.#read);
    socket.off('data', this.#parse);
  }

  get newest(): Newest | null {
    return this.#newest;
  }

  /** Call it for every request, before its response can be sent. */
  took(request: IncomingMessage, response: ServerResponse): void {
    this.#newest = { request, response, before: this.#newest?.response };
    this.#unanswered += 1;
    this.#bodyBytesLeft = Number(request.headers['content-length'] ?? 0);
    response.once('finish', this.#onSent);
  }

  /** What follows is not read as a request. */
  stop(): void {
    this.#isOver = true;
  }

  readonly #onSent = (): void => {
    this.#unanswered -= 1;
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    // Other connections come first: otherwise all that has arrived on this one would be served without a pause.
    setImmediate(() => this.#socket.resume());
  };

  readonly #read = (chunk: Buffer): void => {
    let rest = chunk;
    for (let steps = 0; rest.length > 0; steps += 1) {
      if (this.#isOver || this.#socket.writableEnded || this.#socket.destroyed) return;
      // Node pauses the socket too, and resumes it: for a body that nobody reads yet, and for responses.
      if (this.#socket.isPaused()) return void this.#socket.unshift(rest);
      if (this.#isFull && this.#newest!.request.complete) return void this.#wait(rest);
      if (steps === STEPS_MAX) return void this.#goOnLater(rest);
      const end = this.#endOfStep(rest);
      this.#bodyBytesLeft = Math.max(0, this.#bodyBytesLeft - end);
      this.#parse(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };

  get #isFull(): boolean {
    return this.#unanswered >= UNANSWERED_MAX;
  }

  /**
   * INVARIANT: no two requests begin in one step. A step ends with the body of the newest request, or with the next empty
   * line: a head ends there, and a body in chunks does. The end of one may have come with the read before.
   */
  #endOfStep(rest: Buffer): number {
    if (this.#bodyBytesLeft > 0) return Math.min(rest.length, this.#bodyBytesLeft);
    const line = rest.indexOf(LINE_END);
    if (line === 0 || line === 1) return line + 1;
    const empty = rest.indexOf(EMPTY_LINE);
    return empty === -1 ? rest.length : empty + EMPTY_LINE.length;
  }

  #goOnLater(rest: Buffer): void {
    this.#socket.pause();
    this.#socket.unshift(rest);
    setImmediate(() => this.#socket.resume());
  }

  #wait(rest: Buffer): void {
    this.#isWaiting = true;
    this.#socket.pause();
    this.#socket.unshift(rest);
  }
}
