import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Provider } from './provider.ts';

let server: Server;
let issuer = '';
let isDown = false;
let discoveries = 0;
beforeAll(async () => {
  server = createServer((_request, response) => {
    discoveries += 1;
    if (isDown) return void response.writeHead(502).end();
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('sign-ins that begin together ask the provider once, and again after it failed', async () => {
  const provider = new Provider({ issuer, clientId: 'writecheck', clientSecret: 'secret' });
  const secrets = { state: 's', nonce: 'n', verifier: 'v'.repeat(43) };
  const begin = () => provider.authorizationUrl(secrets, 'http://localhost/callback');
  const beginAll = () => Promise.all(Array.from({ length: 100 }, begin));
  isDown = true;
  const failed = await beginAll();
  expect(failed.every((each) => typeof each === 'object' && each.kind === 'unavailable')).toBe(true);
  expect(discoveries).toBe(1);
  isDown = false;
  const urls = await beginAll();
  expect(urls.every((each) => typeof each === 'string' && each.startsWith(`${issuer}/auth?`))).toBe(true);
  expect(discoveries).toBe(2);
});
