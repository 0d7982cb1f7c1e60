/** Reads a request's body into one buffer, and stops at the limit while it streams. */
import type { IncomingMessage } from 'node:http';

export type ReadBody =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  /** The caller went away in the middle: there is nobody to answer. */
  | { readonly kind: 'gone' };

const EMPTY = Buffer.alloc(0);

/** Calls back exactly once. A callback, because on the hot path most bodies are there in one piece already. */
export function readBody(request: IncomingMessage, limitBytes: number, done: (read: ReadBody) => void): void {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
    done({ kind: 'too_large' });
    return;
  }
  let chunks: Buffer[] | null = [];
  let length = 0;
  const finish = (read: ReadBody) => {
    if (chunks === null) return;
    chunks = null;
    done(read);
  };
  request.on('data', (chunk: Buffer) => {
    if (chunks === null) return;
    length += chunk.length;
    if (length > limitBytes) return finish({ kind: 'too_large' });
    chunks.push(chunk);
  });
  request.on('end', () => {
    if (chunks === null) return;
    const bytes =
      chunks.length === 1 ? chunks[0]! : chunks.length === 0 ? EMPTY : Buffer.concat(chunks, length);
    finish({ kind: 'body', bytes });
  });
  // Also after an error: without a listener of its own it ends in a close.
  request.on('close', () => finish({ kind: 'gone' }));
}

/** What a refused caller may still send before the connection is cut: an answer sent before a reset may be lost. */
const DISCARD_BYTES_MAX = 4 * 1024 * 1024;
const DISCARD_TIMEOUT_MS = 5_000;

/** Lets a body that nobody wants run out, so that the answer arrives and the connection can be used again. */
export function discardBody(request: IncomingMessage): void {
  if (request.complete) return;
  let length = 0;
  const cut = setTimeout(() => request.socket.destroy(), DISCARD_TIMEOUT_MS);
  cut.unref();
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > DISCARD_BYTES_MAX) request.socket.destroy();
  });
  request.on('close', () => clearTimeout(cut));
  request.on('end', () => clearTimeout(cut));
  request.resume();
}
