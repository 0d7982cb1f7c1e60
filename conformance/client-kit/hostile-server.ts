/** A server that reads one request properly and then misbehaves on the bare socket according to a scenario. */
import { createServer, type Socket } from 'node:net';
import { intentDigest } from '@writecheck/contract';

/** The inputs of a scenario: the socket, the request, and the content of an honest allow. */
export interface Attack {
  readonly socket: Socket;
  /** Method and path, for example `POST /v1/check-write`. */
  readonly requestLine: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The members of a valid allow for the intent in this request. */
  readonly allow: Readonly<Record<string, unknown>>;
  /** The timeout that the wrapper under test was given. */
  readonly timeoutMs: number;
  /** How many requests the server has had, including this one. */
  readonly attempt: number;
  /** All requests in order, this one last: a later response can refer to an earlier request. */
  readonly history: readonly ReceivedRequest[];
}

export interface ReceivedRequest {
  readonly requestLine: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HostileServer {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/**
 * Listens on a free port of 127.0.0.1. Another scenario may have had that port before: if the key is given, a
 * late request with that scenario's key is ignored.
 */
export async function startHostileServer(
  misbehave: (attack: Attack) => void | Promise<void>,
  timeoutMs: number,
  apiKey?: string,
): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  const history: ReceivedRequest[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // The other side may hang up at any moment: that is what wrappers should do.
    socket.on('error', () => {});
    let received = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      received += chunk;
      const request = readRequest(received);
      if (request === undefined) return;
      received = request.rest;
      const { authorization } = request.headers;
      if (apiKey !== undefined && authorization !== undefined && authorization !== `Bearer ${apiKey}`) {
        socket.destroy();
        return;
      }
      history.push(request);
      void misbehave({
        socket,
        ...request,
        allow: allowFor(request.body, request.headers),
        timeoutMs,
        attempt: history.length,
        history: [...history],
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** The members of a valid allow for a request with this body and these headers (in lower case), true to the contract. */
export function allowFor(
  body: string,
  headers: Readonly<Record<string, string>> = {},
  nowMs = Date.now(),
): Readonly<Record<string, unknown>> {
  const timestamp = new Date(nowMs).toISOString();
  const { redeem: claim } = headers;
  return {
    success: true,
    decision: 'allow',
    allowed: true,
    reason: 'every requirement is met',
    reason_code: 'requirements_met',
    reasonCode: 'requirements_met',
    decision_id: 'dec_0190f0f0f0f07000800000000000000a',
    request_id: headers['x-request-id'] ?? 'req_0190f0f0f0f07000800000000000000c',
    schemaVersion: 'write_intent.v1',
    execution_status: 'permitted',
    intentDigest: digestOf(body),
    timestamp,
    validUntil: new Date(nowMs + 300_000).toISOString(),
    ...(claim === undefined ? {} : { redemption: { redeemedAt: timestamp, claim } }),
  };
}

function digestOf(body: string): string {
  try {
    return intentDigest(JSON.parse(body));
  } catch {
    return 'sha256:none';
  }
}

function readRequest(received: string) {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [requestLine = '', ...lines] = received.slice(0, end).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const bodyEnd = end + 4 + Number(headers['content-length'] ?? 0);
  if (received.length < bodyEnd) return undefined;
  const body = Buffer.from(received.slice(end + 4, bodyEnd), 'latin1').toString();
  return {
    requestLine: requestLine.replace(/ HTTP\/1\.\d$/, ''),
    headers,
    body,
    rest: received.slice(bodyEnd),
  };
}
