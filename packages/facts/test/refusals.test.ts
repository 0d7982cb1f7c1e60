import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readReaderConfig } from '../src/config.ts';
import {
  configFile,
  control,
  folder,
  INTENT,
  KEY,
  startTestReader,
  type TestReader,
  TOKEN,
} from './reader-kit.ts';

const sql = (more: object) =>
  control({ sql: { url: 'sqlite:x.db', query: 'select 1 as id', key: 'id', ...more } });
new Database(join(folder, 'x.db')).exec('create table x (id)').close();
const OK = sql({ query: 'select :objectRef as id' });
const http = (more: object) => control({ http: { url: 'https://host/{objectRef}', key: '/id', ...more } });

describe('a reader does not start', () => {
  const { d: _, ...publicJwk } = KEY;
  const keyFile = (name: string, key: object) => {
    writeFileSync(join(folder, name), JSON.stringify(key));
    return { key: { file: name } };
  };
  const token = (given: object) => ({ tokens: [{ token: TOKEN, match: { system: 'erp' }, ...given }] });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'jwk' });

  test.each<[string, object, object, RegExp]>([
    ['with an unknown member', { a: OK }, { tokns: [] }, /^\/tokns: is unknown/],
    [
      'with an unknown member of a control',
      { a: { ...OK, querry: 1 } },
      {},
      /^\/controls\/a\/querry: is unknown/,
    ],
    [
      'with an unknown member of a source',
      { a: sql({ limit: 1 }) },
      {},
      /^\/controls\/a\/sql\/limit: is unknown/,
    ],
    ['with a public key', { a: OK }, keyFile('public.jwk', publicJwk), /^\/key: is the public half/],
    [
      'with a key of another kind',
      { a: OK },
      keyFile('rsa.jwk', { ...rsa, kid: 'k' }),
      /^\/key: is not a private key of/,
    ],
    ['with a key without a name', { a: OK }, keyFile('kid.jwk', { ...KEY, kid: '' }), /^\/key: has no `kid`/],
    [
      'with a key that is not there',
      { a: OK },
      { key: { file: 'none' } },
      /^\/key\/file: `none` cannot be read/,
    ],
    [
      'with a key of an unset variable',
      { a: OK },
      { key: { env: 'NOT_SET' } },
      /^\/key\/env: the environment has no/,
    ],
    [
      'with a short token',
      { a: OK },
      token({ token: 'x'.repeat(31) }),
      /^\/tokens\/0\/token: must be at least 32/,
    ],
    [
      'with a token of an unset variable',
      { a: OK },
      token({ token: 'env:NOT_SET' }),
      /^\/tokens\/0\/token: the env/,
    ],
    [
      'with a token without a match',
      { a: OK },
      token({ match: undefined }),
      /^\/tokens\/0\/match: must be an object/,
    ],
    [
      'with a token that matches by nothing',
      { a: OK },
      token({ match: {} }),
      /^\/tokens\/0\/match: must name at/,
    ],
    [
      'with one token twice',
      { a: OK },
      { tokens: [...token({}).tokens, ...token({}).tokens] },
      /^\/tokens\/1\/token: is/,
    ],
    ['without tokens', { a: OK }, { tokens: [] }, /^\/tokens: must be a list/],
    ['without controls', {}, {}, /^\/controls: must be/],
    [
      'with a name that no condition can read',
      { 'a-b': OK },
      {},
      /^\/controls\/a-b: is not the name of a control/,
    ],
    [
      'with two statements',
      { a: sql({ query: 'select 1; select 2' }) },
      {},
      /^\/controls\/a\/sql\/query: has two/,
    ],
    ['with an open quote', { a: sql({ query: "select ';" }) }, {}, /query: has a quote that does not end/],
    [
      'with a parameter it may not see',
      { a: sql({ query: 'select :agentValue as id' }) },
      {},
      /needs `bind: intent`/,
    ],
    [
      'with a parameter nobody knows',
      { a: { ...sql({ query: 'select :runId as id' }), bind: 'intent' } },
      {},
      /names `runId`/,
    ],
    [
      'with `empty` alone',
      { a: sql({ empty: true, query: 'select :objectRef as id' }) },
      {},
      /^\/controls\/a\/sql\/empty: needs `many: true`/,
    ],
    ['with `empty` for no object', { a: sql({ empty: true, many: true }) }, {}, /query: must use :objectRef/],
    [
      'with a database nobody knows',
      { a: sql({ url: 'mysql://x' }) },
      {},
      /^\/controls\/a\/sql\/url: must be a URL/,
    ],
    ['without a key', { a: sql({ key: undefined }) }, {}, /^\/controls\/a\/sql\/key: is missing/],
    [
      'with a value in the host',
      { a: http({ url: 'https://{objectRef}/x' }) },
      {},
      /url: must be an http or https/,
    ],
    [
      'with credentials in the address',
      { a: http({ url: 'https://a:b@host/x' }) },
      {},
      /url: must be an http or https/,
    ],
    [
      'with another scheme',
      { a: http({ url: 'file:///etc/{objectRef}' }) },
      {},
      /url: must be an http or https/,
    ],
    [
      'with a key that is no pointer',
      { a: http({ key: 'id' }) },
      {},
      /^\/controls\/a\/http\/key: must be a JSON pointer/,
    ],
    ['with two sources', { a: { ...OK, ...http({}) } }, {}, /^\/controls\/a: must have exactly one of/],
    [
      'bound to objects it does not name',
      { a: { ...OK, match: { system: 'erp' } } },
      {},
      /match\/objectType: is missing/,
    ],
    [
      'bound to any object',
      { a: { ...OK, match: { system: 'erp', objectType: '*' } } },
      {},
      /matches everything/,
    ],
  ])('%s', (_, controls, more, fault) => {
    const read = readReaderConfig(configFile(controls, more), { AGENT_TOKEN: TOKEN });
    expect(read).toEqual({ kind: 'invalid', faults: [expect.stringMatching(fault)] });
  });

  test('if its YAML is invalid, and names the place', () => {
    const file = join(folder, 'broken.yaml');
    writeFileSync(file, 'issuer: a\nissuer: b\n');
    expect(readReaderConfig(file, {})).toMatchObject({ faults: [expect.stringMatching(/line 2/)] });
  });

  test('with a secret in its message', () => {
    const file = configFile({ a: sql({ url: 'mysql://user:hunter2@host' }) }, token({ token: 'hunter2' }));
    expect(JSON.stringify(readReaderConfig(file, {}))).not.toContain('hunter2');
  });
});

describe('a request', () => {
  let reader: TestReader;
  beforeAll(async () => {
    reader = await startTestReader({
      invoice: OK,
      other: { ...OK, match: { system: 'erp', objectType: 'order' } },
      field: { ...OK, bind: 'intent', match: { field: 'amount' } },
    });
  });
  afterAll(() => reader.stop());

  test('gets every control that fits, or those it names', async () => {
    const names = async (query = '') =>
      (await reader.ask(INTENT, { query })).items.map(({ controlId }) => controlId);
    expect(await names()).toEqual(['invoice', 'field']);
    expect(await names('?controls=field,invoice,field')).toEqual(['invoice', 'field']);
    expect(await names('?controls=invoice')).toEqual(['invoice']);
  });

  const { objectRef: _ref, ...noRef } = INTENT;
  const { objectType: _type, field: _field, ...noType } = INTENT;
  const action = (more: object) => ({ system: 'erp', operation: 'pay', ...more });

  test.each<[string, number, string, object, object?]>([
    ['with no token', 401, 'missing_key', INTENT, { headers: { authorization: '' } }],
    ['with an unknown token', 401, 'invalid_key', INTENT, { headers: { authorization: `Bearer ${TOKEN}x` } }],
    ['with another scheme', 401, 'missing_key', INTENT, { headers: { authorization: `Basic ${TOKEN}` } }],
    ['outside the match of its token', 403, 'insufficient_scope', { ...INTENT, system: 'crm' }],
    ['that no control fits', 404, 'not_found', { ...INTENT, objectType: 'vendor', field: 'name' }],
    ['that a named control does not fit', 404, 'not_found', INTENT, { query: '?controls=invoice,other' }],
    [
      'that names one beside a second question mark',
      404,
      'not_found',
      INTENT,
      { query: '?controls=invoice?,field' },
    ],
    ['that names an unknown control', 404, 'not_found', INTENT, { query: '?controls=nothing' }],
    ['that names no control', 404, 'not_found', INTENT, { query: '?controls=' }],
    ['that leaves out what a match names', 404, 'not_found', { ...noType, operation: 'pay' }],
    ['without the object', 422, 'invalid_intent', action({ objectType: 'invoice' })],
    [
      'without the object, as null',
      422,
      'invalid_intent',
      action({ objectType: 'invoice', objectRef: null }),
    ],
    ['that is no intent', 422, 'invalid_intent', noRef],
    ['that is misspelt', 422, 'unknown_member', { ...INTENT, object_ref: 'x' }],
    ['with an unknown parameter', 422, 'invalid_request', INTENT, { query: '?control=invoice' }],
    [
      'that is not JSON',
      415,
      'unsupported_media_type',
      INTENT,
      { headers: { 'content-type': 'text/plain' } },
    ],
    ['that is too long', 413, 'body_too_large', { ...INTENT, metadata: { x: 'x'.repeat(70_000) } }],
  ])('%s is refused', async (_, status, code, intent, options = {}) => {
    const reply = await reader.ask(intent, options);
    expect([reply.status, reply.code, reply.items]).toEqual([status, code, []]);
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
    expect(reply.headers.get('www-authenticate') !== null).toBe(status === 401);
    expect(JSON.parse(reply.text)).toMatchObject({ success: false, allowed: false, failClosed: true });
  });

  test('with a duplicate member is refused, as everywhere', async () => {
    const response = await fetch(`${reader.url}/facts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: '{"system":"erp","system":"crm","operation":"x"}',
    });
    expect([response.status, (await response.json()).error.code]).toEqual([400, 'malformed_json']);
  });

  test('to another path or with another method is refused', async () => {
    const statusOf = async (path: string, method = 'GET') =>
      (await fetch(reader.url + path, { method })).status;
    expect(await statusOf('/facts')).toBe(405);
    expect(await statusOf('/metrics')).toBe(404);
    expect([await statusOf('/healthz'), await statusOf('/healthz', 'POST')]).toEqual([200, 405]);
  });

  test('keeps its id and trace', async () => {
    const trace = 'a'.repeat(32);
    const headers = { 'x-request-id': 'mine', traceparent: `00-${trace}-${'b'.repeat(16)}-01` };
    const reply = await reader.ask(INTENT, { query: '?controls=nothing', headers });
    expect(JSON.parse(reply.text)).toMatchObject({ request_id: 'mine', traceId: trace });
    expect(reply.headers.get('x-request-id')).toBe('mine');
  });
});
