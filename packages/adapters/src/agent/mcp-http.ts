/** A plain HTTP listener in front of a handler of web requests. */
import { createServer, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { CommandFailure } from '@writecheck/contract/command';

export interface Place {
  readonly host: string;
  readonly port: number;
}

const PATH = '/mcp';
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Resolves with the address once it listens. */
export async function serveMcpOverHttp(
  handle: (request: Request) => Response | Promise<Response>,
  { host, port }: Place,
): Promise<string> {
  const answer = async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname !== PATH)
      return new Response('the endpoint is /mcp\n', { status: 404 });
    // A web page must not reach a listener on this machine through its own host name.
    const refusal = LOOPBACK.has(host)
      ? (hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
        originValidationResponse(request, localhostAllowedOrigins()))
      : undefined;
    return refusal ?? handle(request);
  };
  const server = createServer((incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.on('close', () => gone.abort());
    Promise.resolve()
      .then(() => answer(toRequest(incoming, gone.signal)))
      .catch(() => new Response('the server could not handle the request\n', { status: 500 }))
      .then(async (response) => {
        outgoing.writeHead(response.status, Object.fromEntries(response.headers));
        if (response.body === null) outgoing.end();
        else await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing);
      })
      .catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailure(`cannot listen on ${host}:${port} (${error.code}); choose another with --port`);
  });
  const { port: actual } = server.address() as { readonly port: number };
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}${PATH}`;
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers } = incoming;
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  const body = method === 'GET' || method === 'HEAD' ? null : (Readable.toWeb(incoming) as BodyInit);
  return new Request(new URL(url, `http://${headers.host ?? 'localhost'}`), {
    method,
    headers: entries,
    signal,
    ...(body === null ? {} : { body, duplex: 'half' }),
  } as RequestInit);
}
