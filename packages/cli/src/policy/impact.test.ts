import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startOf } from './impact.ts';
import { askService } from './service.ts';

test('days are counted back from the time of the service, not of the command', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { date: 'Thu, 10 Jan 2030 12:00:00 GMT', 'content-type': 'application/json' });
    response.end('{"runs":[]}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const options = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'k' };
  expect(await startOf(7, options)).toEqual({ from: '2030-01-03T12:00:00.000Z' });
  expect(await startOf(0.5, options)).toEqual({ from: '2030-01-10T00:00:00.000Z' });
  // The service counts 30 days back itself.
  expect(await startOf(30, options)).toEqual({});
  server.close();
});

test('a slow service is not reported as missing', async () => {
  const server = createServer(() => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const options = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'k' };
  const asked = askService('GET', '/v1/policies/impact', options, undefined, {}, undefined, 50);
  await expect(asked).rejects.toThrow('did not respond within 0.05 s; it may be busy');
  server.closeAllConnections();
  server.close();
});
