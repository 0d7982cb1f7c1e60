/** Detects a client that stops sending, for either parser. */
import type { Socket } from 'node:net';

/** Returns a function that stops listening. */
export function whenGone(socket: Socket, listener: () => void): () => void {
  socket.once('end', listener).once('close', listener);
  return () => void socket.off('end', listener).off('close', listener);
}
