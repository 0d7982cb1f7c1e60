/** The process that answers `POST /facts`: the socket, the drain, logs and metrics. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AnswerParts, answer } from './answer.ts';
import { nameOf } from './failures.ts';
import type { ReaderConfig } from './read-config.ts';
import { openReader } from './reader.ts';
import { type Reply, refusal } from './reader-errors.ts';
import type { ReaderLog } from './reader-log.ts';
import type { ReaderMetrics } from './reader-metrics.ts';
import { type RequestContext, requestContext } from './request-context.ts';

export interface ReaderOptions {
  readonly config: ReaderConfig;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly log: ReaderLog;
  readonly metrics?: ReaderMetrics | undefined;
}

export interface RunningReader {
  readonly url: string;
  /** Takes no new connections, sends every response in flight, then closes the sources. */
  stop(): Promise<void>;
}

const LIMITS = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };

/** Rejects if the address cannot be used. */
export async function startReader(options: ReaderOptions): Promise<RunningReader> {
  const { config, log, metrics } = options;
  const reader = openReader(config);
  let isServing = true;
  const parts: AnswerParts = {
    config,
    reader,
    log,
    isServing: () => isServing,
    observe: (controlId, why, seconds) => metrics?.read(controlId, why === null, seconds),
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedMs = performance.now();
    const context = requestContext(request.headers, Date.now());
    const reply = await answer(parts, request, context).catch((error: unknown) => {
      log.error({ requestId: context.requestId, error: nameOf(error) }, 'a request failed');
      return refusal(
        {
          code: 'internal_error',
          message: 'the reader failed; its log names the error under this request id',
        },
        context,
      );
    });
    if (reply === null) return void request.destroy();
    send(request, response, reply, context, isServing);
    metrics?.answered(reply.status, (performance.now() - startedMs) / 1_000);
  }

  const server = createServer(LIMITS, (request, response) => void handle(request, response));
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, options.host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    await reader.close();
    throw error;
  }
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    async stop() {
      isServing = false;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await closed;
      await reader.close();
    },
  };
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Reply,
  { requestId }: RequestContext,
  isKept: boolean,
): void {
  // The rest of a refused body is not read.
  if (!isKept || !request.complete) response.shouldKeepAlive = false;
  response.writeHead(status, {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    ...headers,
    'content-length': Buffer.byteLength(body),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
