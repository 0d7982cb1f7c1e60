import type { Server } from 'node:http';
import { join } from 'node:path';
import { createClient } from '@writecheck/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ExampleService, startService } from '../start-service.ts';
import { createApp } from './app.ts';
import { exampleBackend } from './example-backend.ts';

const backend = exampleBackend();
let service: ExampleService;
let server: Server;
beforeAll(async () => {
  service = await startService(join(import.meta.dirname, 'policy.yaml'));
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey, timeoutMs: 5000, retries: 0 });
  await new Promise<void>((resolve) => {
    server = createApp(client, backend).listen(0, '127.0.0.1', () => resolve());
  });
});
afterAll(async () => {
  server.close();
  await service.stop();
});

async function refund(body: unknown) {
  const { port } = server.address() as { port: number };
  const response = await fetch(`http://127.0.0.1:${port}/refunds`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

test('a small refund is paid', async () => {
  expect(await refund({ clerk: 'eve', orderId: 'o-1', amount: 20 })).toEqual({ status: 201, refund: 'r-1' });
  expect(backend.paid).toEqual(['o-1/20']);
});

test('a large refund waits for a person, and is paid only when exactly this refund is approved', async () => {
  const large = { clerk: 'eve', orderId: 'o-2', amount: 250 };
  expect(await refund(large)).toMatchObject({
    status: 202,
    state: 'waits for review',
    reason_code: 'CONTROL_EVIDENCE_MISSING',
  });
  expect(backend.paid).toHaveLength(1);
  backend.approve('o-2', 250);
  expect(await refund({ ...large, amount: 2500 })).toMatchObject({ status: 202, state: 'waits for review' });
  expect(await refund(large)).toEqual({ status: 201, refund: 'r-2' });
  expect(backend.paid).toEqual(['o-1/20', 'o-2/250']);
});

test('a suspended clerk is refused, and so is an unknown body', async () => {
  expect(await refund({ clerk: 'mallory', orderId: 'o-1', amount: 20 })).toMatchObject({
    status: 403,
    state: 'refused',
  });
  expect(await refund({ clerk: 'eve', orderId: 'o-1', amount: -20 })).toMatchObject({ status: 400 });
  expect(backend.paid).toHaveLength(2);
});

test('nothing is paid while the service is down', async () => {
  await service.stop();
  expect(await refund({ clerk: 'eve', orderId: 'o-3', amount: 20 })).toMatchObject({
    status: 503,
    state: 'not refunded',
  });
  expect(backend.paid).toHaveLength(2);
});
