/** Lets the deciding threads of one service share its port. */
import { type AddressInfo, createServer, type Server } from 'node:net';
import { listen } from '../../edge/listen.ts';

/**
 * Whether each thread can listen on its own: the system then distributes connections among them, and ends those of a
 * thread that dies.
 */
export const SHARES_PORT = process.platform === 'linux';

interface HeldPort {
  readonly port: number;
  release(): Promise<void>;
}

/**
 * Takes the port exclusively for a moment, because sharing it among threads must not mean sharing it with
 * another service. Then keeps it from others until the threads listen; until then, connections are dropped.
 */
export async function holdPort(port: number, host: string): Promise<HeldPort> {
  const alone = createServer();
  await listen(alone, port, host);
  const { port: taken } = alone.address() as AddressInfo;
  await closed(alone);
  const holding = createServer();
  holding.maxConnections = 0;
  await listen(holding, taken, host, true);
  return { port: taken, release: () => closed(holding) };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
