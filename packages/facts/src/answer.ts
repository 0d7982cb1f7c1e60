/** One request to the reader, from its head to its response, in the order of the possible refusals. */
import type { IncomingMessage } from 'node:http';
import { BODY_BYTES_MAX, parseIntent, shortened, shown, type WriteIntent } from '@writecheck/contract';
import { UnusableMember } from './failures.ts';
import { READS_AT_ONCE_MAX } from './limits.ts';
import type { Fits } from './match.ts';
import { digestOf, type ReaderConfig } from './read-config.ts';
import type { Observe, Reader } from './reader.ts';
import { type Refusal, type Reply, refusal } from './reader-errors.ts';
import type { ReaderLog } from './reader-log.ts';
import type { RequestContext } from './request-context.ts';

export interface AnswerParts {
  readonly config: ReaderConfig;
  readonly reader: Reader;
  readonly log: ReaderLog;
  readonly observe: Observe;
  readonly isServing: () => boolean;
}

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** Null if the client left before its request was complete. */
export async function answer(
  parts: AnswerParts,
  request: IncomingMessage,
  context: RequestContext,
): Promise<Reply | null> {
  const { method = '' } = request;
  const [path = '', ...rest] = (request.url ?? '').split('?');
  const query = rest.join('?');
  const refuse = (given: Refusal): Reply => refusal(given, context);
  const isHealth = path === '/healthz' || path === '/readyz';
  if (!isHealth && path !== '/facts')
    return refuse({
      code: 'not_found',
      message: `there is nothing at \`${shown(path)}\`; send \`POST /facts\``,
    });
  const allowed = isHealth ? ['GET', 'HEAD'] : ['POST'];
  if (!allowed.includes(method)) {
    const headers = { allow: allowed.join(', ') };
    const message = `\`${shown(method)}\` is not allowed here; this path accepts ${headers.allow}`;
    return refuse({ code: 'method_not_allowed', message, headers });
  }
  if (isHealth) return health(path, parts, context);

  const fits = authenticate(request, parts.config);
  if (typeof fits !== 'function') return refuse(fits);
  if (!JSON_TYPE.test(request.headers['content-type'] ?? '') || 'content-encoding' in request.headers)
    return refuse({
      code: 'unsupported_media_type',
      message: 'send `Content-Type: application/json` and no `Content-Encoding`',
    });
  const bytes = await bodyOf(request);
  if (bytes === null) return null;
  if (bytes === 'too_large')
    return refuse({
      code: 'body_too_large',
      message: `the body is larger than ${BODY_BYTES_MAX} bytes; send a smaller intent`,
    });
  const parsed = parseIntent(bytes);
  if (parsed.kind !== 'intent') {
    const { code, details } = parsed;
    const message = details.length === 1 ? details[0]!.message : 'the details list every error of the intent';
    return refuse({ code, message, details });
  }
  const { intent } = parsed;
  if (!fits(intent))
    return refuse({
      code: 'insufficient_scope',
      message: 'this token may not read facts for this intent; compare the intent with its `match`',
    });
  return facts(parts, intent, query, context);
}

function health(path: string, { isServing }: AnswerParts, context: RequestContext): Reply {
  if (path === '/readyz' && !isServing())
    return refusal(
      { code: 'overloaded', message: 'the reader is shutting down; try again in a moment' },
      context,
    );
  return { status: 200, headers: JSON_HEADERS, body: '{"status":"ok"}' };
}

function authenticate(request: IncomingMessage, { tokens }: ReaderConfig): Fits | Refusal {
  const sent = request.headersDistinct.authorization ?? [];
  if (sent.length > 1)
    return { code: 'invalid_key', message: 'more than one token was sent; send one `Authorization` header' };
  const [, token] = /^Bearer +([!-~]+)$/i.exec(sent[0] ?? '') ?? [];
  if (token === undefined)
    return { code: 'missing_key', message: 'send the token as `Authorization: Bearer TOKEN`' };
  return (
    tokens.get(digestOf(token)) ?? { code: 'invalid_key', message: 'the token is unknown; check for a typo' }
  );
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | 'too_large' | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > BODY_BYTES_MAX) return 'too_large';
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}

async function facts(
  { reader, log, observe }: AnswerParts,
  intent: WriteIntent,
  query: string,
  context: RequestContext,
): Promise<Reply> {
  const refuse = (given: Refusal): Reply => refusal(given, context);
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].find((name) => name !== 'controls');
  if (unknown !== undefined)
    return refuse({
      code: 'invalid_request',
      message: `the parameter \`${shown(unknown)}\` is unknown; only \`controls\` is known`,
    });
  const named = parameters.has('controls') ? parameters.getAll('controls').join().split(',') : null;
  const object = objectOf(intent);
  const { requestId } = context;
  try {
    const outcome = await reader.sign(intent, named, (controlId, why, seconds) => {
      observe(controlId, why, seconds);
      const fields = { control: controlId, ...object, requestId, durationMs: Math.round(seconds * 1_000) };
      if (why === null) log.info(fields, 'read');
      else log.warn({ ...fields, why }, 'not read');
    });
    switch (outcome.kind) {
      case 'read':
        return {
          status: 200,
          headers: JSON_HEADERS,
          body: JSON.stringify({ controlEvidence: outcome.items }),
        };
      case 'none_fits':
        return refuse({
          code: 'not_found',
          message:
            'no control of this reader, or not every one that was named, fits the intent; compare its members with each `match`',
        });
      case 'busy':
        return refuse({
          code: 'overloaded',
          message: `${READS_AT_ONCE_MAX} reads are in progress; try again in a moment`,
        });
      case 'unavailable':
        return refuse({
          code: 'facts_unavailable',
          message: `the facts of \`${outcome.controlId}\` could not be read; see the log of the reader`,
        });
    }
  } catch (error) {
    if (!(error instanceof UnusableMember)) throw error;
    const { pointer, message } = error;
    return refuse({
      code: 'invalid_intent',
      message: `${pointer} ${message}`,
      details: [{ pointer, message }],
    });
  }
}

/** INVARIANT: of the intent, the log names the object and nothing else. */
function objectOf({
  system,
  objectType,
  objectRef,
}: WriteIntent): Readonly<Record<string, string | undefined>> {
  return { system, objectType, objectRef: objectRef === undefined ? undefined : shortened(objectRef) };
}
