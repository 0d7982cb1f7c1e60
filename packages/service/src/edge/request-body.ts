/** Reads the body of a request, if it has the type, the encoding and the size that its route accepts. */
import { shown } from '@writecheck/contract';
import { type Refusal, refuse } from '../exchange/refusal.ts';
import type { HttpRequest, ReadBody } from '../exchange/request.ts';
import type { BodyRule } from '../exchange/route.ts';

const EMPTY: Uint8Array = new Uint8Array(0);

type Body = Uint8Array | Refusal | null;

/** A promise only if the body has not arrived yet. Null if the client left. */
export function readBody(request: HttpRequest, rule: BodyRule | undefined): Body | Promise<Body> {
  if (rule === undefined || (rule.isOptional && !hasBody(request))) return EMPTY;
  const wrongType = refuseMediaType(request, rule);
  if (wrongType !== null) return wrongType;
  const reading = request.body(rule.limitBytes);
  return reading instanceof Promise ? reading.then((read) => bodyIn(read, rule)) : bodyIn(reading, rule);
}

function bodyIn(read: ReadBody, { limitBytes }: BodyRule): Body {
  if (read.kind === 'gone') return null;
  return read.kind === 'too_large'
    ? refuse('body_too_large', `the body is larger than ${limitBytes} bytes; send less in one request`)
    : read.bytes;
}

function refuseMediaType(request: HttpRequest, rule: BodyRule): Refusal | null {
  const encoding = request.header('content-encoding');
  if (encoding !== undefined) {
    return refuse(
      'unsupported_media_type',
      `the content encoding \`${shown(encoding)}\` is not supported; send the body unencoded`,
    );
  }
  const transfer = request.header('transfer-encoding');
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked') {
    return refuse(
      'unsupported_media_type',
      `the transfer encoding \`${shown(transfer)}\` is not supported; send the body unencoded or chunked`,
    );
  }
  if (request.sentTwice('content-type')) {
    return refuse('unsupported_media_type', 'more than one content type was sent; send one');
  }
  const sent = request.header('content-type');
  // Nearly every client sends the type as the rule spells it, without parameters.
  if (sent !== undefined && rule.mediaTypes.includes(sent)) return null;
  if (sent !== undefined && rule.mediaTypes.includes(mediaTypeOf(sent))) return refuseCharset(sent);
  const wanted = rule.mediaTypes.map((type) => `\`${type}\``).join(' or ');
  return refuse(
    'unsupported_media_type',
    sent === undefined
      ? `no content type was sent; send ${wanted}`
      : `the content type \`${shown(sent)}\` is not supported; send ${wanted}`,
  );
}

/** Every part that begins like a charset must be the one we read; a part of a quoted value may be refused too. */
function refuseCharset(contentType: string): Refusal | null {
  const [, ...parameters] = contentType.split(';');
  for (const parameter of parameters) {
    const text = trimmed(parameter).toLowerCase();
    if (text.startsWith('charset') && text !== 'charset=utf-8' && text !== 'charset="utf-8"')
      return refuse(
        'unsupported_media_type',
        `the charset in the content type \`${shown(contentType)}\` is not supported; send the body as UTF-8, with \`charset=utf-8\` or no charset`,
      );
  }
  return null;
}

function mediaTypeOf(contentType: string): string {
  return trimmed(contentType.split(';', 1)[0]!).toLowerCase();
}

/** Drops only spaces and tabs (RFC 9110, 5.6.3); `trim` would also drop a no-break space. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (isSpace(text[start])) start += 1;
  while (end > start && isSpace(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function hasBody(request: HttpRequest): boolean {
  const length = request.header('content-length');
  return request.header('transfer-encoding') !== undefined || (length !== undefined && length !== '0');
}
