/** Reads a request's body into one buffer, and stops at the limit while it streams. */
import type { IncomingMessage } from 'node:http';
import type { ReadBody } from '../../exchange/request.ts';

export function readBody(request: IncomingMessage, limitBytes: number): Promise<ReadBody> {
  return new Promise((resolve) => {
    let chunks: Buffer[] | null = [];
    let length = 0;
    const finish = (read: ReadBody) => {
      chunks = null;
      resolve(read);
    };
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) return finish({ kind: 'too_large' });
    request.on('data', (chunk: Buffer) => {
      if (chunks === null) return;
      length += chunk.length;
      if (length > limitBytes) return finish({ kind: 'too_large' });
      chunks.push(chunk);
    });
    request.on('end', () => {
      if (chunks !== null) finish({ kind: 'body', bytes: Buffer.concat(chunks, length) });
    });
    // An error needs no listener of its own, because it ends in a close. Only the first outcome counts.
    request.on('close', () => finish({ kind: 'gone' }));
  });
}

/**
 * How much a refused caller may still send before the connection is cut: a response sent before a reset may be lost.
 */
const DISCARD_BYTES_MAX = 4 * 1024 * 1024;
const DISCARD_TIMEOUT_MS = 5_000;

/** Drains an unwanted body, so that the response arrives and the connection can be reused. */
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
