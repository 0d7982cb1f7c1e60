/** Sends the same request to both parsers and returns both responses. */
import diagnostics from 'node:diagnostics_channel';
import { rawSocket } from '../raw-socket.ts';

/** Node's server publishes every request that it reads itself. */
const NODE_READ = 'http.server.request.start';

export interface BothWays {
  /** The response as sent, except for the date. */
  readonly plain: string;
  readonly node: string;
}

/** Sends a request on its own connection, and again on a connection that Node's server has taken over. */
export async function askBothWays(url: string, request: string): Promise<BothWays> {
  const readByNode: unknown[] = [];
  const count = (message: unknown) => void readByNode.push(message);
  diagnostics.subscribe(NODE_READ, count);
  try {
    const [plain] = await converse(url, [request]);
    const byPlainWay = readByNode.length;
    if (byPlainWay !== 0) throw new Error(`not plain: ${request.slice(0, 200)}`);
    const health = `GET /healthz HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`;
    const [, node] = await converse(url, [health, request]);
    const byNodeWay = readByNode.length;
    if (byNodeWay !== 2) throw new Error("Node's server has not read it");
    return { plain: undated(plain!), node: undated(node!) };
  } finally {
    diagnostics.unsubscribe(NODE_READ, count);
  }
}

/** The whole responses, in order; each request is sent once the previous one has its response. */
export async function converse(url: string, requests: readonly string[]): Promise<readonly string[]> {
  const connection = await rawSocket(url);
  const responses: string[] = [];
  let before = '';
  for (const [i, request] of requests.entries()) {
    connection.send(request);
    const text = await connection.until((received) => responsesIn(received).length > i);
    responses.push(text.slice(before.length));
    before = text;
  }
  connection.socket.destroy();
  return responses;
}

/** The complete responses. */
export function responsesIn(text: string): readonly string[] {
  const responses: string[] = [];
  let rest = Buffer.from(text);
  for (let end = rest.indexOf('\r\n\r\n'); end !== -1; end = rest.indexOf('\r\n\r\n')) {
    const length = /\r\ncontent-length: (\d+)/i.exec(rest.toString('latin1', 0, end))?.[1];
    const bytes = end + 4 + Number(length ?? 0);
    if (rest.length < bytes) break;
    responses.push(rest.toString('utf8', 0, bytes));
    rest = rest.subarray(bytes);
  }
  return responses;
}

function undated(response: string): string {
  return response.replace(/\r\nDate: [^\r]+\r\n/, '\r\nDate: -\r\n');
}

export interface SentCheck {
  readonly key: string | null;
  readonly type?: string | null;
  readonly body: unknown;
  readonly headers?: readonly string[];
}

/** The bytes of a check, with separate names so that its responses can be compared. */
export function checkBytes(
  url: string,
  { key, type = 'application/json', body, headers = [] }: SentCheck,
): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return [
    'POST /v1/check-write HTTP/1.1',
    `Host: ${new URL(url).host}`,
    ...(key === null ? [] : [`Authorization: Bearer ${key}`]),
    ...(type === null ? [] : [`Content-Type: ${type}`]),
    `Content-Length: ${Buffer.byteLength(text)}`,
    'X-Request-ID: r-1',
    'traceparent: 00-0123456789abcdef0123456789abcdef-0123456789abcdef-01',
    ...headers,
    '',
    text,
  ].join('\r\n');
}
