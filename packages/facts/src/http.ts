/** A source that is an HTTP service: GET, one response, no redirects, strict JSON. */
import { type JsonObject, type JsonValue, parseStrictJson } from '@writecheck/contract';
import { FactsUnavailable, LATE, READ_MS_MAX, SOURCE_BYTES_MAX, UnusableMember } from './failures.ts';
import { isKeyOf, type SeenIntent, seenValue } from './sign.ts';

/** A URL template, split at its names. */
export interface Address {
  readonly texts: readonly string[];
  readonly names: readonly string[];
}

export interface HttpSource {
  readonly address: Address;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON pointer of the record in the response; empty for the whole response. */
  readonly pick: string;
  /** The JSON pointer, in the record, of what identifies it. */
  readonly key: string;
}

const PLACE = /\{([^{}]*)\}/g;
/** The scheme and the host are fixed: nothing before the first slash after them may be filled in. */
const FIXED = /^https?:\/\/[^/?#\\{}@\s]+(?:[/?]|$)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is for control characters
const REFUSED = /[/\\%?#;\u0000-\u001f\u007f-\u009f]/;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

export function isPointer(text: string): boolean {
  return POINTER.test(text);
}

export function readAddress(template: string): Address | { readonly fault: string } {
  const texts = template.replaceAll(PLACE, '{}').split('{}');
  const names = [...template.matchAll(PLACE)].map(([, name]) => name!);
  const isAddress =
    FIXED.test(template) &&
    !template.includes('#') &&
    !texts.some((text) => /[{}]/.test(text)) &&
    URL.canParse(texts.join('x'));
  const fault =
    'must be an http or https address with a fixed host, no credentials and no fragment, such as https://host/records/{objectRef}';
  return isAddress ? { texts, names } : { fault };
}

/** Throws an `UnusableMember` for a value that could lead elsewhere, before anything is read. */
export function prepareHttp(source: HttpSource, seen: SeenIntent): () => Promise<JsonObject> {
  const url = filled(source.address, seen);
  return async () => recordOf(await bytesOf(url, source.headers), source, seen.objectRef);
}

function filled({ texts, names }: Address, seen: SeenIntent): string {
  const segments = names.map((name) => {
    const value = seenValue(seen, name);
    if (value === '' || value === '.' || value === '..' || REFUSED.test(value))
      throw new UnusableMember(
        name,
        'cannot be part of an address: it is empty, `.` or `..`, or has one of / \\ % ? # ; or a control character',
      );
    return encodeURIComponent(value);
  });
  const text = texts.map((before, at) => `${before}${segments[at] ?? ''}`).join('');
  const expected = new URL(texts.join('x'));
  const url = URL.canParse(text) ? new URL(text) : null;
  // INVARIANT: nothing in the intent changes scheme, host or depth, whatever the template puts around a value.
  if (url === null || url.origin !== expected.origin || depthOf(url) !== depthOf(expected))
    throw new UnusableMember(names[0] ?? '', 'has a value that would lead to another address');
  return url.href;
}

function depthOf({ pathname }: URL): number {
  return pathname.split('/').length;
}

async function bytesOf(url: string, headers: HttpSource['headers']): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(READ_MS_MAX);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    const response = await fetch(url, {
      // A compressed response could be far longer than what was sent.
      headers: { accept: 'application/json', ...headers, 'accept-encoding': 'identity' },
      redirect: 'manual',
      signal,
    });
    if (response.status !== 200) {
      response.body?.cancel().catch(() => undefined);
      throw new FactsUnavailable(`its source responded with status ${response.status}`);
    }
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > SOURCE_BYTES_MAX) throw new FactsUnavailable(`it returned over ${SOURCE_BYTES_MAX} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof FactsUnavailable) throw error;
    throw new FactsUnavailable(signal.aborted ? LATE : 'the connection to its source failed');
  }
  return Buffer.concat(chunks);
}

function recordOf(bytes: Uint8Array, { pick, key }: HttpSource, objectRef: string): JsonObject {
  const parsed = parseStrictJson(bytes);
  if (parsed.kind !== 'json') throw new FactsUnavailable('it did not return strict JSON');
  const record = at(parsed.value, pick);
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    throw new FactsUnavailable('it did not return a JSON object');
  if (!isKeyOf(at(record, key), objectRef))
    throw new FactsUnavailable('it returned no `key`, or the record of another object');
  return record as JsonObject;
}

function at(value: JsonValue, pointer: string): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(found)) found = /^(?:0|[1-9]\d{0,8})$/.test(name) ? found[Number(name)] : undefined;
    else if (typeof found === 'object' && found !== null && Object.hasOwn(found, name))
      found = (found as JsonObject)[name];
    else return undefined;
  }
  return found;
}
