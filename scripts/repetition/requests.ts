/** Every place in every request where a caller can put a long text. */
import { connect } from 'node:net';
import type { TestService } from '../../packages/service/test/start-service.ts';

export interface Place {
  readonly name: string;
  readonly length: number;
  readonly request: (text: string) => Buffer;
}

/** A head may have 16 KiB in total; a percent-encoded character takes three bytes or more. */
const HEAD_LENGTH = 12_000;
const ENCODED_LENGTH = 1_300;
const BODY_LENGTH = 60_000;

/** The headers that the service or Node's HTTP server reads. */
const HEADERS =
  `Authorization Content-Type Content-Encoding Transfer-Encoding Content-Length Host Origin Accept-Encoding
  If-None-Match If-Match Idempotency-Key Prefer X-Request-ID traceparent X-Forwarded-For Connection Expect Upgrade Cookie
  X-Unknown`.split(/\s+/);
const INTENT = {
  system: 's',
  objectType: 'o',
  objectRef: 'r',
  field: 'f',
  agentValue: 'a',
  authorityFound: true,
};
const INTENT_TEXTS = [
  'system',
  'objectRef',
  'agentValue',
  'operation',
  'schemaVersion',
  'metadata',
  'controlEvidence',
];

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: { readonly [type: string]: { readonly schema: Schema } } };
}
interface Schema {
  readonly properties?: object;
  readonly $ref?: string;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

/** The service's own routes, and the console's. */
export async function placesOf(service: TestService): Promise<readonly Place[]> {
  const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
    readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  };
  const others = { '/': { get: {} }, '/assets/{name}': { get: {} }, '/not-a-route': { get: {} } };
  return Object.entries({ ...paths, ...others }).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      placesIn(service, method.toUpperCase(), path, operation),
    ),
  );
}

function placesIn(
  service: TestService,
  method: string,
  path: string,
  operation: Operation,
): readonly Place[] {
  const key = /check-write|redeem/.test(path) ? service.liveKey : service.ownerKey;
  const content = Object.entries(operation.requestBody?.content ?? {});
  const plain = content.length === 0 ? '' : JSON.stringify(INTENT);
  const target = path.replaceAll(/\{\w+\}/g, 'a');
  const send = (to: string, body = plain, extra: { readonly [name: string]: string } = {}): Buffer => {
    const bytes = Buffer.from(body);
    const ofBody = { 'Content-Type': content[0]?.[0] ?? '', 'Content-Length': String(bytes.length) };
    const headers = {
      Host: '127.0.0.1',
      Authorization: `Bearer ${key}`,
      ...(body === '' ? {} : ofBody),
      ...extra,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.concat([Buffer.from(`${method} ${to} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), bytes]);
  };
  const place = (name: string, length: number, request: (text: string) => Buffer): Place => ({
    name: `${method} ${path}, ${name}`,
    length,
    request,
  });
  return [
    place('its path', HEAD_LENGTH, (text) => send(`${target}/${rawIn(text)}`)),
    place('its query', HEAD_LENGTH, (text) => send(`${target}?${rawIn(text)}`)),
    place('a name in its query', ENCODED_LENGTH, (text) => send(`${target}?${encoded(text)}=1`)),
    ...HEADERS.map((name) =>
      place(name, HEAD_LENGTH, (text) =>
        send(target, plain, { [name]: `a${text.replaceAll(/[\r\n\0]/g, ' ')}b` }),
      ),
    ),
    ...(operation.parameters ?? []).map(({ name, in: where }) =>
      place(name, ENCODED_LENGTH, (text) =>
        where === 'path'
          ? send(path.replace(`{${name}}`, encoded(text)).replaceAll(/\{\w+\}/g, 'a'))
          : send(`${target}?${name}=${encoded(text)}`),
      ),
    ),
    ...content.flatMap(([type, { schema }]) =>
      [...bodiesOf(type, schema)].map(([name, made]) =>
        place(`${type}, ${name}`, BODY_LENGTH, (text) => send(target, made(text), { 'Content-Type': type })),
      ),
    ),
  ];
}

type Body = readonly [name: string, made: (text: string) => string];

function* bodiesOf(type: string, schema: Schema): Generator<Body> {
  yield ['its body', (text) => text];
  if (type !== 'application/json')
    return yield ['a value in its body', (text) => `kind: Profile\nid: p\nversion: "1"\nwhen: ${text}\n`];
  const part = (text: string) => text.slice(0, BODY_LENGTH / 4);
  yield ['an unknown name', (text) => JSON.stringify({ [part(text)]: 1 })];
  for (const name of membersOf(schema)) {
    yield [name, (text) => JSON.stringify({ ...INTENT, [name]: part(text) })];
    yield [
      `${name} as a list`,
      (text) => JSON.stringify({ [name]: [part(text), { [part(text)]: part(text) }] }),
    ];
  }
}

function membersOf(schema: Schema): readonly string[] {
  const alternatives = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  if (schema.properties !== undefined) return Object.keys(schema.properties);
  return alternatives.some(({ $ref }) => $ref !== undefined) || schema.$ref !== undefined
    ? INTENT_TEXTS
    : alternatives.flatMap(membersOf);
}

/** Unchanged, except for characters that would end the request line. */
function rawIn(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '%20').slice(0, HEAD_LENGTH);
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Sends one request on its own connection; reads to the end of the response, or its first chunk if it has no length. */
export function exchange(
  url: string,
  request: Buffer,
): Promise<{ readonly status: number; readonly body: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(request));
    const finish = () => {
      const end = text.indexOf('\r\n\r\n');
      resolve({ status: Number(text.slice(9, 12)), body: text.slice(end + 4) });
      socket.destroy();
    };
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += chunk;
      const end = text.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = /\r\ncontent-length: (\d{1,9})\r\n/i.exec(text.slice(0, end + 2))?.[1];
      if (length === undefined || text.length >= end + 4 + Number(length)) finish();
    });
    socket.on('close', finish);
    socket.on('error', (error) => (text === '' ? reject(error) : finish()));
    // If the length is invalid, the service waits until its timeout, which does not count.
    socket.setTimeout(3_000, finish);
  });
}
