/** The process that answers `POST /facts`: each request, from its head to its response, and the drain. */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  BODY_BYTES_MAX,
  continuedTrace,
  ERROR_CATALOGUE,
  givenRequestId,
  PROBLEM_MEDIA_TYPE,
  type ProblemDetail,
  parseIntent,
  problem,
  shortened,
  shown,
  type WriteIntent,
} from '@writecheck/contract';
import { digestOf, type Fits, type ReaderConfig } from './config.ts';
import { nameOf, READS_AT_ONCE_MAX, UnusableMember } from './failures.ts';
import { Reader } from './reader.ts';

/** Fields, then a message, as in the service. */
export interface ReaderLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ReaderOptions {
  readonly config: ReaderConfig;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly log: ReaderLog;
}

export interface RunningReader {
  readonly url: string;
  /** Takes no new connections, sends every response in flight, then closes the sources. */
  stop(): Promise<void>;
}

interface Parts extends ReaderOptions {
  readonly reader: Reader;
  readonly isServing: () => boolean;
}

const LIMITS = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const ERRORS = {
  ...ERROR_CATALOGUE,
  facts_unavailable: { status: 424, title: 'the record could not be read' },
};
type ErrorCode = keyof typeof ERRORS;

/** Ends a request with an error response. */
class Refused extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ProblemDetail[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    details?: readonly ProblemDetail[],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.code = code;
    this.details = details;
    this.headers = headers;
  }
}

/** The client left before its request was complete. */
class Gone extends Error {}

/** Rejects if the address cannot be used. */
export async function startReader(options: ReaderOptions): Promise<RunningReader> {
  const reader = new Reader(options.config);
  let isServing = true;
  const parts: Parts = { ...options, reader, isServing: () => isServing };
  const server = createServer(LIMITS, (request, response) => void handle(parts, request, response));
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

async function handle(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const nowMs = Date.now();
  const { 'x-request-id': ownId, traceparent } = request.headers;
  const requestId = givenRequestId(asText(ownId)) ?? `req_${randomBytes(16).toString('hex')}`;
  const send = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): void => {
    // The rest of a refused body is not read.
    if (!parts.isServing() || !request.complete) response.shouldKeepAlive = false;
    const text = JSON.stringify(body);
    response.writeHead(status, {
      'x-request-id': requestId,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-type': 'application/json',
      ...headers,
      'content-length': Buffer.byteLength(text),
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  };
  try {
    send(200, await answer(parts, request, requestId));
  } catch (error) {
    if (error instanceof Gone) return void request.destroy();
    const refused = error instanceof Refused ? error : failed(parts.log, requestId, error);
    const { code, message, details, headers } = refused;
    const { status } = ERRORS[code];
    const traceId = continuedTrace(asText(traceparent)) ?? randomBytes(16).toString('hex');
    // RFC 6750, section 3: no error code if no token was sent.
    const challenge = `Bearer realm="writecheck-facts"${code === 'missing_key' ? '' : ', error="invalid_token"'}`;
    send(status, problem({ code, message, details, requestId, traceId, timestampMs: nowMs }, ERRORS), {
      'content-type': PROBLEM_MEDIA_TYPE,
      ...(status === 401 ? { 'www-authenticate': challenge } : {}),
      ...(status === 503 ? { 'retry-after': '1' } : {}),
      ...headers,
    });
  }
}

function failed(log: ReaderLog, requestId: string, error: unknown): Refused {
  log.error({ requestId, error: nameOf(error) }, 'a request failed');
  const message = 'the reader failed; its log names the error under this request id';
  return new Refused('internal_error', message);
}

function asText(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

/** The body of the response, in the order of the possible refusals. */
async function answer(parts: Parts, request: IncomingMessage, requestId: string): Promise<object> {
  const { method = '' } = request;
  const [path = '', ...rest] = (request.url ?? '').split('?');
  const isHealth = path === '/healthz';
  if (!isHealth && path !== '/facts')
    throw new Refused('not_found', `there is nothing at \`${shown(path)}\`; send \`POST /facts\``);
  const allowed = isHealth ? ['GET', 'HEAD'] : ['POST'];
  if (!allowed.includes(method)) {
    const message = `\`${shown(method)}\` is not allowed here; this path accepts ${allowed.join(', ')}`;
    throw new Refused('method_not_allowed', message, undefined, { allow: allowed.join(', ') });
  }
  if (isHealth) return { status: 'ok' };
  const fits = authenticate(request, parts.config);
  if (!JSON_TYPE.test(request.headers['content-type'] ?? '') || 'content-encoding' in request.headers)
    throw new Refused(
      'unsupported_media_type',
      'send `Content-Type: application/json` and no `Content-Encoding`',
    );
  const parsed = parseIntent(await bodyOf(request));
  if (parsed.kind !== 'intent') {
    const { code, details } = parsed;
    const message = details.length === 1 ? details[0]!.message : 'the details list every error of the intent';
    throw new Refused(code, message, details);
  }
  if (!fits(parsed.intent))
    throw new Refused(
      'insufficient_scope',
      'this token may not read facts for this intent; compare the intent with its `match`',
    );
  return facts(parts, parsed.intent, new URLSearchParams(rest.join('?')), requestId);
}

function authenticate(request: IncomingMessage, { tokens }: ReaderConfig): Fits {
  const sent = request.headersDistinct.authorization ?? [];
  if (sent.length > 1)
    throw new Refused('invalid_key', 'more than one token was sent; send one `Authorization` header');
  const [, token] = /^Bearer +([!-~]+)$/i.exec(sent[0] ?? '') ?? [];
  if (token === undefined)
    throw new Refused('missing_key', 'send the token as `Authorization: Bearer TOKEN`');
  const fits = tokens.get(digestOf(token));
  if (fits === undefined) throw new Refused('invalid_key', 'the token is unknown; check for a typo');
  return fits;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > BODY_BYTES_MAX) break;
      chunks.push(chunk);
    }
  } catch {
    throw new Gone();
  }
  if (size > BODY_BYTES_MAX)
    throw new Refused(
      'body_too_large',
      `the body is larger than ${BODY_BYTES_MAX} bytes; send a smaller intent`,
    );
  return Buffer.concat(chunks);
}

async function facts(
  { reader, log }: Parts,
  intent: WriteIntent,
  parameters: URLSearchParams,
  requestId: string,
): Promise<object> {
  const unknown = [...parameters.keys()].find((name) => name !== 'controls');
  if (unknown !== undefined)
    throw new Refused(
      'invalid_request',
      `the parameter \`${shown(unknown)}\` is unknown; only \`controls\` is known`,
    );
  const named = parameters.has('controls') ? parameters.getAll('controls').join().split(',') : null;
  // INVARIANT: of the intent, the log names the object and nothing else.
  const { system, objectType, objectRef } = intent;
  const object = {
    system,
    objectType,
    objectRef: objectRef === undefined ? undefined : shortened(objectRef),
  };
  const observe = (control: string, why: string | null, durationMs: number): void => {
    const fields = { control, ...object, requestId, durationMs: Math.round(durationMs) };
    if (why === null) log.info(fields, 'read');
    else log.warn({ ...fields, why }, 'not read');
  };
  const outcome = await reader.sign(intent, named, observe).catch((error: unknown) => {
    if (!(error instanceof UnusableMember)) throw error;
    const { pointer, message } = error;
    throw new Refused('invalid_intent', `${pointer} ${message}`, [{ pointer, message }]);
  });
  switch (outcome.kind) {
    case 'read':
      return { controlEvidence: outcome.items };
    case 'none_fits':
      throw new Refused(
        'not_found',
        'no control of this reader, or not every one that was named, fits the intent; compare its members with each `match`',
      );
    case 'busy':
      throw new Refused('overloaded', `${READS_AT_ONCE_MAX} reads are in progress; try again in a moment`);
    case 'unavailable':
      throw new Refused(
        'facts_unavailable',
        `the facts of \`${outcome.controlId}\` could not be read; see the log of the reader`,
      );
  }
}
