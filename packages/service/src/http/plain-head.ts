/** Reads the head of the one request that nearly all are: a check with nothing unusual about it. */
import { BODY_BYTES_MAX } from '@writecheck/contract';

export interface PlainHead {
  readonly path: string;
  readonly host: string;
  readonly authorization: string;
  readonly bodyBytes: number;
  readonly requestId: string | undefined;
  readonly traceparent: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly prefer: string | undefined;
}

const PATHS = ['/v1/check-write', '/api/v1/check-write'];
const START_LINES = new Map(PATHS.map((path) => [`POST ${path} HTTP/1.1`, path]));
const VISIBLE = /^[\x20-\x7e\r\n]*$/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const LENGTH = /^(?:0|[1-9]\d{0,5})$/;
const JSON_TYPE = /^application\/json *(?:;|$)/i;

type Noted = 'host' | 'authorization' | 'length' | 'type' | 'requestId' | 'traceparent' | 'key' | 'prefer';
const NOTED: ReadonlyMap<string, Noted> = new Map([
  ['host', 'host'],
  ['authorization', 'authorization'],
  ['content-length', 'length'],
  ['content-type', 'type'],
  ['x-request-id', 'requestId'],
  ['traceparent', 'traceparent'],
  ['idempotency-key', 'key'],
  ['prefer', 'prefer'],
]);
/** What says something about how the request is framed or to be treated that is not dealt with here. */
const UNUSUAL: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'content-encoding',
  'expect',
  'upgrade',
  'te',
  'trailer',
  'keep-alive',
  'proxy-connection',
  'http2-settings',
]);

/**
 * Null for anything at all that would have to be thought about: then Node's own parser reads it.
 * INVARIANT: what is read here Node would read the same way; a difference between two readers is a hole.
 * `text` is everything before the empty line.
 */
export function readPlainHead(text: string): PlainHead | null {
  if (!VISIBLE.test(text)) return null;
  const lines = text.split('\r\n');
  const path = START_LINES.get(lines[0]!);
  if (path === undefined) return null;
  const noted: { [name in Noted]?: string } = {};
  for (let i = 1; i < lines.length; i += 1) {
    const line = lines[i]!;
    const colon = line.indexOf(':');
    const sent = line.slice(0, colon === -1 ? 0 : colon);
    // A line of its own that is no header, a folded one among them, and a lone line end: none of them is plain.
    if (!NAME.test(sent) || line.includes('\r') || line.includes('\n')) return null;
    const name = sent.toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (UNUSUAL.has(name) || (name === 'connection' && value.toLowerCase() !== 'keep-alive')) return null;
    const as = NOTED.get(name);
    if (as === undefined) continue;
    if (noted[as] !== undefined || value === '') return null;
    noted[as] = value;
  }
  const { host, authorization, length, type } = noted;
  if (host === undefined || authorization === undefined || length === undefined || type === undefined)
    return null;
  if (!LENGTH.test(length) || !JSON_TYPE.test(type)) return null;
  const bodyBytes = Number(length);
  if (bodyBytes === 0 || bodyBytes > BODY_BYTES_MAX) return null;
  const { requestId, traceparent, key: idempotencyKey, prefer } = noted;
  return { path, host, authorization, bodyBytes, requestId, traceparent, idempotencyKey, prefer };
}
