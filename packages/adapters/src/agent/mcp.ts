/** `writecheck mcp`: a Model Context Protocol server through which a model can ask, on stdio or over HTTP. */
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ReviewMode } from '@writecheck/adapters/guard';
import { VERSION } from '@writecheck/contract';
import { CommandFailure, serviceUrl } from '@writecheck/contract/command';
import { TIMEOUT_MS } from './client-for.ts';
import { serveMcpOverHttp } from './mcp-http.ts';
import { reportWaiting } from './mcp-progress.ts';
import { type Asker, callTool, TOOLS } from './mcp-tools.ts';

export interface McpOptions {
  readonly url?: string;
  readonly key?: string;
  readonly http: boolean;
  readonly host: string;
  readonly port: string;
  readonly review?: ReviewMode;
}

export async function mcp({ http, host, port, review = 'tell', ...options }: McpOptions): Promise<void> {
  const url = serviceUrl(options.url);
  if (http) {
    if (options.key !== undefined)
      throw new CommandFailure('over HTTP every caller sends its own key; omit --key');
    const handler = createMcpHandler(({ requestInfo }) =>
      serverFor({ url, key: bearerOf(requestInfo) ?? '', timeoutMs: TIMEOUT_MS, review }),
    );
    const address = await serveMcpOverHttp(
      (request) => (bearerOf(request) === undefined ? unauthorized() : handler.fetch(request)),
      { host, port: Number(port) },
    );
    process.stderr.write(`writecheck mcp listens on ${address}, and sends checks to ${url}\n`);
    return;
  }
  const key = options.key ?? process.env.WRITECHECK_API_KEY;
  if (!key) throw new CommandFailure('no API key: give --key or set WRITECHECK_API_KEY');
  serveStdio(() => serverFor({ url, key, timeoutMs: TIMEOUT_MS, review }));
}

function serverFor(asker: Asker): Server {
  const server = new Server({ name: 'writecheck', version: VERSION }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: [...TOOLS] }));
  server.setRequestHandler('tools/call', async ({ params }, host) => {
    const endWait = asker.review === 'wait' ? reportWaiting(host) : () => {};
    return callTool(asker, params.name, params.arguments ?? {}, host.mcpReq.signal).finally(endWait);
  });
  return server;
}

/** The caller's own key is forwarded to the service, which knows its rights: this process has no key of its own. */
function bearerOf(request: Request | undefined): string | undefined {
  return /^bearer +([!-~]+)$/i.exec(request?.headers.get('authorization') ?? '')?.[1];
}

function unauthorized(): Response {
  return new Response('send a development or live key: Authorization: Bearer KEY\n', {
    status: 401,
    headers: { 'www-authenticate': 'Bearer', 'content-type': 'text/plain' },
  });
}
