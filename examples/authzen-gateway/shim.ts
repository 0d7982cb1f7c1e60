/** Answers the external authorization calls of NGINX and Envoy with decisions over AuthZEN. */
import { createServer, type IncomingMessage, type Server } from 'node:http';

export interface ShimOptions {
  /** The URL of the service, without a trailing slash. */
  readonly url: string;
  /** A checking key. */
  readonly apiKey: string;
  readonly timeoutMs?: number;
}

/** 204 lets the request through; everything else stops it. Nothing is cached: a cache would hide a freeze. */
export function authorizationShim({ url, apiKey, timeoutMs = 2_000 }: ShimOptions): Server {
  return createServer(async (request, response) => {
    let status = 503;
    let reason = 'no_valid_decision';
    const path = pathOf(request);
    try {
      // The rule must read the same path that the application serves.
      if (!isPlain(path)) throw new TypeError('the path can be read in two ways');
      const answer = await fetch(`${url}/access/v1/evaluation`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(evaluationOf(request, path)),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const body = answer.status === 200 ? await answer.json() : null;
      if (typeof body?.decision === 'boolean') {
        status = body.decision ? 204 : 403;
        reason = body.context.reason;
      }
    } catch {
      // The path is ambiguous, or the service is unreachable or does not respond in time: the request stops.
    }
    response.writeHead(status, { 'x-authorization-reason': reason, 'cache-control': 'no-store' }).end();
  });
}

/** Drops the query, which no rule about a route names. NGINX sends the target in a header, Envoy as the path itself. */
function pathOf({ url, headers }: IncomingMessage): string {
  return String(headers['x-original-uri'] ?? url).split('?', 1)[0]!;
}

/** INVARIANT: `/records/../admin` and its encodings never pass as something under `/records`. */
function isPlain(path: string): boolean {
  return /^(?:\/[\w.~-]*)+$/.test(path) && !/\/\.|\/\//.test(path);
}

/** Both send the user that they have authenticated, and drop what a client sends under that name. */
function evaluationOf({ method, headers }: IncomingMessage, path: string): object {
  const user = String(headers['x-authenticated-user'] ?? '');
  return {
    subject: user === '' ? { type: 'anonymous', id: 'anonymous' } : { type: 'user', id: user },
    action: { name: String(headers['x-original-method'] ?? method) },
    resource: { type: 'route', id: path },
  };
}
