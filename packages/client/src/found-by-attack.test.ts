/** Flaws that an attack on the client found, each reproduced as in the attack. */
import { createServer } from 'node:net';
import type { WriteIntent } from '@writecheck/contract';
import { afterEach, expect, it } from 'vitest';
import { createClient } from './create-client.ts';
import { hasDuplicateMembers } from './duplicate-members.ts';

const intent: WriteIntent = {
  system: 'crm',
  objectType: 'contact',
  objectRef: 'c-1',
  field: 'email',
  agentValue: 'a',
};

afterEach(() => {
  Reflect.deleteProperty(Object.prototype, 'unprotected');
});

it('inherited members make no guard unprotected', async () => {
  const client = createClient({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1', retries: 0 });
  Reflect.set(Object.prototype, 'unprotected', true);
  for (const options of [{}, Object.create({ unprotected: true })]) {
    let isWritten = false;
    const outcome = await client.guardWrite(
      intent,
      () => {
        isWritten = true;
      },
      options,
    );
    expect([outcome.executed, isWritten]).toEqual([false, false]);
  }
});

it.each([
  ['407', 'HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n'],
  [
    'headers too long to read',
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx: ${'x'.repeat(20_000)}\r\ncontent-length: 2\r\n\r\n{}`,
  ],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
  ['no HTTP', '{"decision":"block"}\r\n\r\n'],
])(
  'a response of %s is not an outage, so an unprotected write does not run either',
  async (_name, answer) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { readonly port: number };
    const client = createClient({ apiKey: 'k', baseUrl: `http://127.0.0.1:${port}`, retries: 0 });
    const outcome = await client.guardWrite(intent, () => 'written', { unprotected: true });
    expect(outcome.executed).toBe(false);
    server.close();
  },
);

it('an endlessly nested response is not read to its end', () => {
  const levels = 200_000;
  expect(hasDuplicateMembers('['.repeat(levels) + ']'.repeat(levels))).toBe(true);
  expect(hasDuplicateMembers('['.repeat(60) + ']'.repeat(60))).toBe(false);
});
