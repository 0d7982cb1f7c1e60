/** Notices a client that sends no more, for either parser. */
import type { Socket } from 'node:net';

/** Returns the way to stop. */
export function whenGone(socket: Socket, listener: () => void): () => void {
  socket.once('end', listener).once('close', listener);
  return () => void socket.off('end', listener).off('close', listener);
}
