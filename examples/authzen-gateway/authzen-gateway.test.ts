/** Real NGINX in front of a real service; needs the Debian package `nginx`. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { type ExampleService, startService } from '../start-service.ts';
import { authorizationShim } from './shim.ts';

const NGINX = process.env.WRITECHECK_NGINX ?? '/usr/sbin/nginx';
const hasNginx = spawnSync(NGINX, ['-v']).status === 0;

let service: ExampleService;
let shim: Server;
let application: Server;
let nginx: ChildProcess;
let folder: string;
let port: number;
const reached: string[] = [];

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );

describe.skipIf(!hasNginx)('NGINX in front of an application', () => {
  beforeAll(async () => {
    service = await startService(join(import.meta.dirname, 'policy.yaml'));
    shim = authorizationShim({ url: service.url, apiKey: service.apiKey });
    application = createServer(({ method, url }, response) => {
      reached.push(`${method} ${url}`);
      response.end('the record');
    });
    port = await freePort();
    folder = mkdtempSync(join(tmpdir(), 'writecheck-nginx-'));
    const replaced: { readonly [word: string]: string | number } = {
      FOLDER: folder,
      PORT: port,
      SHIM: await listening(shim),
      APPLICATION: await listening(application),
    };
    const template = readFileSync(join(import.meta.dirname, 'nginx.conf'), 'utf8');
    const config = template.replaceAll(/\b(?:FOLDER|PORT|SHIM|APPLICATION)\b/g, (word) =>
      String(replaced[word]),
    );
    writeFileSync(join(folder, 'nginx.conf'), config);
    writeFileSync(join(folder, 'users'), 'ada:{PLAIN}secret\nbob:{PLAIN}secret\n');
    nginx = spawn(NGINX, ['-p', folder, '-c', join(folder, 'nginx.conf')], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => null)))
      if (nginx.exitCode !== null) throw new Error('NGINX did not start');
  });
  afterAll(async () => {
    nginx.kill();
    for (const server of [shim, application]) await new Promise((resolve) => server.close(resolve));
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const send = async (user: string, method: string, path: string, headers: Record<string, string> = {}) => {
    const authorization = `Basic ${Buffer.from(`${user}:secret`).toString('base64')}`;
    reached.length = 0;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization, ...headers },
    });
    return [response.status, response.headers.get('x-authorization-reason'), [...reached]];
  };

  test('lets through permitted requests, and nothing else', async () => {
    expect(await send('ada', 'GET', '/records/7?page=2')).toEqual([
      200,
      'requirements_met',
      ['GET /records/7?page=2'],
    ]);
    expect(await send('bob', 'GET', '/records/7')).toEqual([403, 'policy_unmatched', []]);
    expect(await send('ada', 'GET', '/admin')).toEqual([403, 'policy_unmatched', []]);
    expect(await send('ada', 'DELETE', '/records/7')).toEqual([403, 'CONTROL_EVIDENCE_MISSING', []]);
  });

  test('does not let a client claim who it is or what it requests', async () => {
    const forged = {
      'x-authenticated-user': 'ada',
      'x-original-uri': '/records/7',
      'x-original-method': 'GET',
    };
    expect(await send('bob', 'GET', '/records/7', forged)).toEqual([403, 'policy_unmatched', []]);
    expect((await send('ada', 'GET', '/admin', forged))[0]).toBe(403);
  });

  test('stops a path that the application may read differently', async () => {
    for (const path of ['/records/../admin', '/records/%2e%2e/admin', '/records//7', '/records/..;/admin']) {
      reached.length = 0;
      const status = await new Promise((resolve) => {
        request({ port, path, auth: 'ada:secret' }, (response) =>
          resolve(response.resume().statusCode),
        ).end();
      });
      expect([path, status, [...reached]]).toEqual([path, 500, []]);
    }
  });

  test('stops everything while the service does not respond', async () => {
    await service.stop();
    const [status, , passed] = await send('ada', 'GET', '/records/7');
    expect([status, passed]).toEqual([500, []]);
  });
});
