/** Serves the same messages over HTTP, for a driver that the kit cannot start. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { KitSession } from './kit-session.ts';
import type { Driver } from './stdio-driver.ts';

interface HttpDriver extends Driver {
  readonly url: string;
}

/** Listens on 127.0.0.1 only: a driver runs writes for anybody who controls the scenarios. */
export async function startHttpDriver(port: number, session: KitSession): Promise<HttpDriver> {
  const server = createServer((request, response) => {
    void respond(request, response, session).catch(() => response.destroy());
  });
  // A driver may wait long for its next scenario.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), 1000).unref();
      }),
  };
}

async function respond(request: IncomingMessage, response: ServerResponse, session: KitSession) {
  const { method, url } = request;
  if (method === 'POST' && url === '/next') return send(response, 200, await session.next());
  if (method === 'POST' && (url === '/write' || url === '/end')) {
    const { id, stopped } = ((await json(request).catch(() => null)) ?? {}) as {
      readonly id?: unknown;
      readonly stopped?: unknown;
    };
    const isKnown = url === '/write' ? session.wrote(id) : session.ended(id, stopped);
    if (isKnown) return send(response, 200, { type: 'ok' });
    return send(response, 404, { type: 'error', message: 'no such scenario: send {"id": N}' });
  }
  return send(response, 404, {
    type: 'error',
    message: 'the kit knows POST /next, POST /write and POST /end',
  });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
