/** A proxy to a database that adds latency in both directions and keeps the order. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface FarDatabase {
  readonly url: string;
  close(): void;
}

/** The same database with `delayMs` of latency in each direction. */
export async function farDatabase(url: string, delayMs: number): Promise<FarDatabase> {
  const near = new URL(url);
  const open = new Set<Socket>();
  const passOn = (from: Socket, to: Socket) => {
    open.add(from);
    from.setNoDelay(true);
    from.on('data', (chunk) => setTimeout(() => to.write(chunk), delayMs));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      open.delete(from);
      setTimeout(() => to.end(), delayMs);
    });
  };
  const server = createServer((caller) => {
    const database = connect(Number(near.port), near.hostname);
    passOn(caller, database);
    passOn(database, caller);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const far = new URL(url);
  far.hostname = '127.0.0.1';
  far.port = String((server.address() as AddressInfo).port);
  return {
    url: far.href,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
