import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALLOWED, ask, PAUSED } from '../ask.ts';
import { runWritecheck, spawnWritecheck } from '../spawn-service.ts';
import { startTestService, type TestService } from '../start-service.ts';
import { COMPILED, WRITECHECK } from '../writecheck-program.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

async function overStdio(env: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...WRITECHECK, 'mcp'],
      env: { ...COMPILED, WRITECHECK_URL: service.url, WRITECHECK_API_KEY: service.developmentKey, ...env },
    }),
  );
  return client;
}

async function startHttp() {
  const spawned = spawnWritecheck(['mcp', '--http', '--port', '0'], { WRITECHECK_URL: service.url });
  for (;;) {
    const url = /listens on (\S+),/.exec(spawned.stderr())?.[1];
    if (url !== undefined) return { url, stop: () => spawned.child.kill() };
    if (spawned.child.exitCode !== null) throw new Error(spawned.stderr());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function overHttp(url: string, key: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

/** A proxy in front of the service that drops every response with an allow until it is switched off. */
async function losingAllows(target: string) {
  let isLosing = true;
  const server = createServer(async (request, response) => {
    const body = request.method === 'GET' ? {} : { body: Buffer.concat(await request.toArray()) };
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const reply = await fetch(target + request.url, {
      method: request.method!,
      headers: headers as Record<string, string>,
      ...body,
    });
    const text = await reply.text();
    if (isLosing && text.includes('"decision":"allow"')) return request.socket.destroy();
    const { 'content-encoding': _encoding, ...sent } = Object.fromEntries(reply.headers);
    response.writeHead(reply.status, sent).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stopLosing: () => {
      isLosing = false;
    },
    close: () => server[Symbol.asyncDispose](),
  };
}

const check = (client: Client, intent: unknown) =>
  client.callTool({ name: 'check_write', arguments: { intent } });
const textOf = (result: Awaited<ReturnType<Client['callTool']>>) =>
  result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');

const checksUsed = async (): Promise<number> =>
  (await ask(`${service.url}/v1/usage`, { key: service.developmentKey })).body.used;

async function offersItsTools(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['check_write', 'explain_decision', 'list_requirements']);

  const allowed = await check(client, ALLOWED);
  expect(allowed).toMatchObject({ structuredContent: { decision: 'allow', allowed: true } });
  expect(textOf(allowed)).toMatch(/^ALLOW /);

  const paused = await check(client, PAUSED);
  expect(paused).toMatchObject({ structuredContent: { decision: 'pause', allowed: false } });
  expect(textOf(paused)).toContain('what would satisfy it');

  const { decision_id } = paused.structuredContent as { decision_id: string };
  const explained = await client.callTool({ name: 'explain_decision', arguments: { decision_id } });
  expect(paused.structuredContent).toEqual({
    ...(explained.structuredContent as object),
    openedReview: { id: expect.stringMatching(/^rev_/), url: expect.any(String), state: 'open' },
  });
  expect(textOf(explained)).toContain('permits nothing now');

  const before = await checksUsed();
  const needed = await client.callTool({ name: 'list_requirements', arguments: { intent: ALLOWED } });
  // It is not a check, so it is not counted.
  expect(await checksUsed()).toBe(before);
  expect(needed.structuredContent).toMatchObject({
    requirements: ALLOWED.requiredControls.map((controlId) => ({ controlId, status: 'missing' })),
    remediation: ALLOWED.requiredControls.map((controlId) => ({ controlId, action: 'supply' })),
  });
}

describe('writecheck mcp', () => {
  test('offers its three tools on stdio', async () => {
    const client = await overStdio();
    await offersItsTools(client);
    await client.close();
  });

  test('a model never gets an allow without a decision', async () => {
    const down = await overStdio({ WRITECHECK_URL: 'http://127.0.0.1:1' });
    for (const name of ['check_write', 'list_requirements']) {
      const result = await down.callTool({ name, arguments: { intent: ALLOWED } });
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result)).not.toContain('"allow"');
      expect(JSON.stringify(result)).not.toContain(service.developmentKey);
    }
    const explained = await down.callTool({ name: 'explain_decision', arguments: { decision_id: 'dec_1' } });
    expect(explained.isError).toBe(true);
    await down.close();
  });

  const NO_DECISION: readonly (readonly [string, Record<string, unknown>])[] = [
    ['check_write', {}],
    ['check_write', { intent: 'allow' }],
    ['check_write', { intent: { system: 'erp' } }],
    ['list_requirements', {}],
    ['check_write', { ...ALLOWED }],
    ['explain_decision', {}],
    ['explain_decision', { decision_id: 'dec_00000000000000000000000000000000' }],
    ['explain_decision', { decision_id: '../keys' }],
    ['delete_everything', {}],
  ];
  test('a call that makes no sense is an error, not a decision', async () => {
    const client = await overStdio();
    for (const [name, args] of NO_DECISION) {
      const result = await client.callTool({ name, arguments: args });
      expect(result.isError, `${name} with ${JSON.stringify(args)}`).toBe(true);
    }
    await client.close();
  });

  test('an intent that is not wrapped is refused with the fix', async () => {
    const client = await overStdio();
    for (const args of [{ ...ALLOWED }, { intent: [ALLOWED] }]) {
      const result = await client.callTool({ name: 'check_write', arguments: args });
      expect(textOf(result)).toContain('wrap it in `intent`');
    }
    await client.close();
  });

  test('an allow whose response is lost comes with the next call, and never with a third', async () => {
    const lossy = await losingAllows(service.url);
    const client = await overStdio({ WRITECHECK_URL: lossy.url });
    const intent = { system: 'crm', operation: 'merge', objectRef: 'lost', requiredControls: ['approval'] };
    const { structuredContent } = await check(client, intent);
    const { openedReview, intentDigest } = structuredContent as {
      openedReview: { id: string };
      intentDigest: string;
    };
    const approved = await ask(`${service.url}/v1/reviews/${openedReview.id}/verdicts`, {
      key: service.ownerKey,
      json: { verdict: 'approve', intentDigest },
    });
    expect(approved.status).toBe(200);
    expect((await check(client, intent)).isError).toBe(true);
    lossy.stopLosing();
    expect((await check(client, intent)).structuredContent).toMatchObject({ decision: 'allow' });
    expect((await check(client, intent)).structuredContent).toMatchObject({ decision: 'pause' });
    await client.close();
    await lossy.close();
  });

  test('an owner key cannot send checks', async () => {
    const client = await overStdio({ WRITECHECK_API_KEY: service.ownerKey });
    const result = await check(client, ALLOWED);
    await client.close();
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { cause: { code: 'insufficient_scope' } },
    });
  });

  test('invalid settings are reported before anything is served', async () => {
    expect(await runWritecheck(['mcp'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no API key'),
    });
    expect(await runWritecheck(['mcp', '--http', '--key', 'x'])).toMatchObject({ code: 1 });
    expect(await runWritecheck(['mcp', '--url', 'nowhere'])).toMatchObject({ code: 1 });
  });
});

describe('writecheck mcp --http', () => {
  let http: Awaited<ReturnType<typeof startHttp>>;
  beforeAll(async () => {
    http = await startHttp();
  });
  afterAll(() => void http.stop());

  test('offers its three tools to a caller with a key', async () => {
    const client = await overHttp(http.url, service.developmentKey);
    await offersItsTools(client);
    await client.close();
  });

  test('each caller asks with its own key: nobody sees the decisions of another key', async () => {
    const mine = await overHttp(http.url, service.developmentKey);
    const other = await overHttp(http.url, service.liveKey);
    const { structuredContent } = await check(mine, ALLOWED);
    const { decision_id } = structuredContent as { decision_id: string };
    const call = { name: 'explain_decision', arguments: { decision_id } };
    expect((await mine.callTool(call)).isError).toBeUndefined();
    expect((await other.callTool(call)).isError).toBe(true);
    await Promise.all([mine.close(), other.close()]);
  });

  const post = (headers: Record<string, string>, path = '') =>
    fetch(http.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
  const authorization = () => `Bearer ${service.developmentKey}`;

  test('a caller without a key is refused', async () => {
    const refused = await post({});
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect((await post({ authorization: 'Basic eDp5' })).status).toBe(401);
  });

  test('a web page cannot speak to it, and there is no other path', async () => {
    expect((await post({ authorization: authorization(), origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ authorization: authorization() }, '/other')).status).toBe(404);
    expect((await post({ authorization: authorization() })).status).toBe(200);
  });
});
