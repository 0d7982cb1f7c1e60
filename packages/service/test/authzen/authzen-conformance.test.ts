import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

interface Case {
  readonly module?: string;
  readonly path: 'evaluation' | 'evaluations';
  readonly method?: string;
  readonly body?: unknown;
  /** Sent as it is, instead of a body. */
  readonly raw?: string;
  readonly contentType?: string;
  /** Null: without a key. */
  readonly key?: string | null;
  readonly requestId?: string;
  readonly times?: number;
  /** A decision, the decisions of a batch (`boolean`: either), a status, or a choice of statuses. */
  readonly expect: boolean | number | readonly (boolean | 'boolean' | number)[];
}

const folder = new URL('../../../../conformance/authzen/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
const suite: { readonly cases: readonly Case[] } = JSON.parse(read('suite.json'));
const interop: { readonly cases: readonly Case[] } = JSON.parse(read('interop.json'));

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const applied = await ask(`${service.url}/v1/policies`, {
    method: 'PUT',
    key: service.ownerKey,
    headers: { 'content-type': 'application/yaml' },
    body: read('policy.yaml'),
  });
  expect(applied.text).toContain('"revision":1');
});
afterAll(() => service.stop());

async function send({ path, method = 'POST', body, raw, contentType, key, requestId }: Case) {
  const headers = {
    'content-type': contentType ?? 'application/json',
    ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
  };
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return ask(`${service.url}/access/v1/${path}`, {
    method,
    headers,
    ...(key === null ? {} : { key: key ?? service.liveKey }),
    ...(text === undefined ? {} : { body: text }),
  });
}

async function hold(each: Case): Promise<void> {
  const { status, headers, body, text } = await send(each);
  if (each.requestId !== undefined) expect(headers.get('x-request-id')).toBe(each.requestId);
  const { expect: wanted } = each;
  if (typeof wanted === 'number') return void expect(status).toBe(wanted);
  if (Array.isArray(wanted) && typeof wanted[0] === 'number') return void expect(wanted).toContain(status);
  expect(status, text).toBe(200);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  if (typeof wanted === 'boolean') {
    expect(body).toMatchObject({ decision: wanted, context: {} });
    expect(body.evaluations).toBeUndefined();
  } else {
    expect(body.decision).toBeUndefined();
    const decisions = body.evaluations.map(({ decision }: { readonly decision: unknown }) => decision);
    expect(decisions).toEqual(wanted.map((one) => (one === 'boolean' ? expect.any(Boolean) : one)));
  }
  for (let again = 1; again < (each.times ?? 1); again += 1) {
    const repeated = await send(each);
    if (each.path === 'evaluations') expect(repeated.text).toBe(text);
    else expect(repeated.body.decision).toBe(body.decision);
  }
}

describe('the cases of the official conformance suite', () => {
  test.each(suite.cases.map((each) => [each.module!, each] as const))('%s', (_, each) => hold(each));
});

test("the working group's todo and gateway payloads get the decisions they expect", async () => {
  expect(interop.cases).toHaveLength(68);
  for (const each of interop.cases) await hold(each);
});

test('a status that is not sent cannot be distinguished from a harmless one', async () => {
  const archived = { type: 'record', id: 'record-1' };
  const body = { subject: { type: 'user', id: 'alice' }, action: { name: 'write' }, resource: archived };
  expect((await send({ path: 'evaluation', body, expect: true })).body.decision).toBe(true);
});
