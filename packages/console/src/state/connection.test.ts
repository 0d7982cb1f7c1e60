/** The page finds the service again, even after a connection that hangs. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { isAway, noteAway, returns } from './connection.ts';

test('after a connection that hangs, the page tries again', async () => {
  const answers = [null, '{"status":"ok"}'];
  const server = createServer((_request, response) => {
    const answer = answers.shift();
    if (answer !== null) response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  vi.stubGlobal('document', { baseURI: `http://127.0.0.1:${port}/` });
  noteAway();
  await expect.poll(() => returns.get()).toBe(1);
  expect([isAway.get(), answers]).toEqual([false, []]);
  vi.unstubAllGlobals();
  server.closeAllConnections();
  server.close();
});
