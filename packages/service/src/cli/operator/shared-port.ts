/** How the worker processes of one service share its port. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { listen } from '../../http/listen.ts';

/** What a worker sends to its primary once it listens. */
export const LISTENING = 'writecheck-listening';

export function portIn(message: unknown): number | null {
  const { kind, port } = (message ?? {}) as { readonly kind?: unknown; readonly port?: unknown };
  return kind === LISTENING && typeof port === 'number' ? port : null;
}

/**
 * Each worker listens on its own, so that the system ends the connections of a worker that dies. On other platforms
 * the primary accepts and hands connections over, and one on its way to a dying worker never gets a response.
 */
export const WORKERS_LISTEN = process.platform === 'linux';

/**
 * Takes the port exclusively for a moment: sharing it among workers must not mean sharing it with another service.
 */
export async function reservePort(port: number, host: string): Promise<number> {
  const server = createServer();
  await listen(server, port, host);
  const { port: taken } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return taken;
}
