/** How the console is served: its headers, its host names, and the response if it was not built. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConsoleFiles } from '../../src/edge/console-files.ts';
import { consoleRoutes } from '../../src/edge/console-routes.ts';
import type { Answer } from '../../src/exchange/answer.ts';
import type { OpenRoute } from '../../src/exchange/route.ts';
import { startTestService, type TestService } from '../start-service.ts';

const CONFIG = { host: '127.0.0.1', publicUrl: null };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'writecheck-console-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function build(script = 'index-1'): void {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), `<!doctype html>${script}`);
  writeFileSync(join(folder, 'index.html.br'), 'brotli');
  writeFileSync(join(folder, 'index.html.gz'), 'gzip');
  writeFileSync(join(folder, `assets/${script}.js`), script);
}

async function ask(
  files: ConsoleFiles,
  headers: Record<string, string> = {},
  name: string | undefined = undefined,
): Promise<Answer> {
  const [page, assets] = consoleRoutes(CONFIG, files) as readonly OpenRoute[];
  const route = name === undefined ? page! : assets!;
  const sent: Record<string, string> = { host: '127.0.0.1:8080', ...headers };
  const call = { request: { header: (field: string) => sent[field] }, params: { name } };
  return route.handle(call as never);
}

function get(headers: Record<string, string> = {}, { name = undefined as string | undefined } = {}) {
  build();
  return ask(new ConsoleFiles(folder), headers, name);
}

describe('a built console', () => {
  test('comes with a content security policy that allows nothing else, and is revalidated each time', async () => {
    const { status, headers } = await get();
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    });
  });
  test('is cached forever if its name changes with its content', async () => {
    expect((await get({}, { name: 'index-1.js' })).headers['cache-control']).toContain('immutable');
    expect((await get({}, { name: 'index-2.js' })).status).toBe(404);
    expect((await get({}, { name: '../index.html' })).status).toBe(404);
  });
  test.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', undefined],
    ['brotli', undefined],
    ['br ; q=0.0 , gzip\t;\tQ=1', 'gzip'],
    [`a${' '.repeat(15_000)}b, gzip`, 'gzip'],
    [`gzip${' ;'.repeat(7_000)}q=0`, undefined],
  ])('is compressed as the caller accepts: %s', async (accepted, encoding) => {
    const { headers, body } = await get({ 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers.vary).toBe('accept-encoding');
    if (encoding !== undefined) expect(new TextDecoder().decode(body as Uint8Array)).toContain(encoding);
  });
  test('is not sent again to a browser that has it', async () => {
    const { headers } = await get({ 'accept-encoding': 'br' });
    const again = await get({ 'accept-encoding': 'br', 'if-none-match': headers.etag! });
    expect(again).toMatchObject({ status: 304, body: null });
    expect((await get({ 'if-none-match': headers.etag! })).status).toBe(200);
  });
  test('is not served under a name that somebody else may point here', async () => {
    const answer = await get({ host: 'evil.example:8080' });
    expect(answer.status).toBe(421);
    expect(answer.body).toContain('WRITECHECK_PUBLIC_URL');
    expect((await get({ host: 'evil.example' }, { name: 'index-1.js' })).status).toBe(421);
  });
});

test('without a build the page says what to do, and a later build is found', async () => {
  const files = new ConsoleFiles(folder);
  const answer = await ask(files);
  expect(answer.status).toBe(404);
  expect(answer.body).toContain('npm run build');
  build();
  expect((await ask(files)).status).toBe(200);
});

test('a build that replaces another is found when a file of the one before is missing', async () => {
  const files = new ConsoleFiles(folder);
  build();
  expect(String((await ask(files)).body)).toContain('index-1');
  rmSync(join(folder, 'assets/index-1.js'));
  build('index-2');
  expect((await ask(files, {}, 'index-1.js')).status).toBe(404);
  expect(String((await ask(files)).body)).toContain('index-2');
  expect((await ask(files, {}, 'index-2.js')).status).toBe(200);
});

test('any number of first requests share one read, also later ones', async () => {
  build();
  const files = new ConsoleFiles(folder);
  const pages = await Promise.all(Array.from({ length: 1_000 }, () => files.find('index.html')));
  const later = await files.find('index.html');
  expect(later).toMatchObject({ mediaType: 'text/html; charset=utf-8' });
  expect(new Set([...pages, later]).size).toBe(1);
});

test('no name leads out of the folder, and one that is not there is not kept', async () => {
  build();
  writeFileSync(join(folder, '..', 'outside.js'), 'secret');
  const files = new ConsoleFiles(join(folder, 'assets'));
  writeFileSync(join(folder, 'assets/index.html'), 'page');
  const names = [
    '../index.html',
    '../../outside.js',
    '..\\index.html',
    join(folder, 'index.html'),
    '%2e%2e/index.html',
  ];
  for (const name of [...names, 'INDEX-1.JS', 'x.constructor', '', '.', 'index.html.br', '\0.js'])
    expect([name, await files.find(name)]).toEqual([name, 'no_such_file']);
  rmSync(join(folder, '..', 'outside.js'));
});

describe('over HTTP', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ settings: { publicUrl: 'https://checks.example.com' } });
  });
  afterAll(() => service.stop());

  /** `fetch` sets the host itself. */
  function send(method: string, path: string, headers: Record<string, string>, body = ''): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = request(`${service.url}${path}`, { method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode!);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  test('the configured name is served and another is not', async () => {
    expect(await send('GET', '/', { host: 'checks.example.com' })).not.toBe(421);
    expect(await send('GET', '/', { host: 'evil.example' })).toBe(421);
  });

  test('the URLs that reviews name lead to the console, also behind a proxy that adds a path', async () => {
    for (const [path, location] of [
      ['/reviews', './#/reviews'],
      ['/reviews/rev_1', '../#/reviews/rev_1'],
      ['/reviews/a%0d%0ab', '../#/reviews/a%0D%0Ab'],
    ] as const) {
      const answer = await fetch(service.url + path, { redirect: 'manual' });
      expect([path, answer.status, answer.headers.get('location')]).toEqual([path, 302, location]);
      expect(await send('GET', path, { host: 'evil.example' })).toBe(421);
    }
  });

  test('a page under another name creates no workspace; a caller that is not a page does', async () => {
    const json = { 'content-type': 'application/json' };
    const body = '{"name":"x"}';
    const origin = 'http://evil.example';
    expect(await send('POST', '/v1/workspaces', { ...json, host: 'evil.example', origin }, body)).toBe(403);
    expect(await send('POST', '/v1/workspaces', { ...json, host: 'evil.example' }, body)).toBe(201);
    expect(await send('POST', '/v1/workspaces', { ...json, host: 'checks.example.com', origin }, body)).toBe(
      201,
    );
  });

  test('a key shows which workspace it belongs to', async () => {
    for (const key of [service.ownerKey, service.developmentKey]) {
      const response = await fetch(`${service.url}/v1/workspace`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const told = await response.json();
      expect(told).toMatchObject({ workspace: { id: service.workspace, name: 'default' } });
      expect(told.key.hint.slice(-4)).toBe(key.slice(-4));
      expect(JSON.stringify(told)).not.toContain(key);
    }
  });
});
