/** Takes ports, and returns the address under which one can be called. */
import { type AddressInfo, createServer, type Server } from 'node:net';

/** `isShared` lets other processes listen on the port too; the system distributes connections among them. */
export function listen(server: Server, port: number, host: string, isShared = false): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, ...(isShared ? { reusePort: true } : {}) }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

export function urlOf(host: string, address: AddressInfo | string | null): string {
  const port = portOf(address);
  // An address that stands for every interface cannot be called.
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

export function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A port that no other process can take. Until a server gets it, connections are dropped. */
export interface TakenPort {
  readonly port: number;
  giveTo(server: Server): Promise<void>;
  /** Does nothing once a server has it. */
  release(): void;
}

export async function takePort(port: number, host: string): Promise<TakenPort> {
  const holder = createServer();
  holder.maxConnections = 0;
  await listen(holder, port, host);
  let isHeld = true;
  return {
    port: portOf(holder.address()),
    giveTo: (server) =>
      new Promise((resolve, reject) => {
        isHeld = false;
        server.once('error', reject);
        // The server takes over the socket that is already listening.
        server.listen(holder, () => {
          server.off('error', reject);
          resolve();
        });
      }),
    release() {
      if (isHeld) holder.close();
      isHeld = false;
    },
  };
}

/** The ports of a service. INVARIANT: they are taken before its store is opened, so that a start that fails on one changes nothing. */
export interface TakenPorts {
  readonly main: TakenPort;
  /** Null if metrics are not configured. */
  readonly metrics: TakenPort | null;
}

export async function takePorts({
  port,
  metricsPort,
  host,
}: {
  readonly port: number;
  readonly metricsPort: number | null;
  readonly host: string;
}): Promise<TakenPorts> {
  const main = await takePort(port, host);
  try {
    return { main, metrics: metricsPort === null ? null : await takePort(metricsPort, host) };
  } catch (error) {
    main.release();
    throw error;
  }
}

export function releasePorts({ main, metrics }: TakenPorts): void {
  main.release();
  metrics?.release();
}
