/** Takes a port, and returns the address under which it can be called. */
import type { AddressInfo, Server } from 'node:net';

/** With `isShared`, other processes may listen on the port too, and the system distributes connections among them. */
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
