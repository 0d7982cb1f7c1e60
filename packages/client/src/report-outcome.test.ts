import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { allowFor } from '../../../conformance/client-kit/index.ts';
import { createClient } from './create-client.ts';
import { NotWritten } from './not-written.ts';

const intent = { system: 'crm', operation: 'contact.update' };
const SECRET = 'card 4111 1111 1111 1111';

/** A client, the reports that its service got, and the responses of the service to them. */
function clientOf(answers: readonly (number | 'lost')[] = [], options: { outcomes?: boolean } = {}) {
  const reports: { readonly url: string; readonly body: unknown }[] = [];
  const client = createClient({
    apiKey: 'wck_dev_test',
    baseUrl: 'https://writecheck.example',
    fetch: async (url, init) => {
      if (!url.endsWith('/outcome')) {
        const body = JSON.stringify(allowFor(String(init.body), init.headers));
        return new Response(body, { headers: { 'content-type': 'application/json' } });
      }
      const answer = answers[reports.length] ?? 200;
      reports.push({ url, body: JSON.parse(String(init.body)) });
      if (answer === 'lost') throw new TypeError('fetch failed');
      return new Response('{}', { status: answer });
    },
    ...options,
  });
  return { client, reports };
}

it('a write that resolved is reported as done, under its decision', async () => {
  const { client, reports } = clientOf();
  await client.guardWrite(intent, () => Promise.resolve('written'));
  expect(reports).toEqual([
    {
      url: `https://writecheck.example/v1/decisions/${allowFor('{}').decision_id}/outcome`,
      body: { result: 'done' },
    },
  ]);
});

it.each([
  ['unknown', new Error(SECRET)],
  ['unknown', SECRET],
  ['unknown', undefined],
  ['unknown', Object.assign(new Error(SECRET), { writecheckNotWritten: 'true' })],
  ['failed', new NotWritten(SECRET)],
  ['failed', Object.assign(new Error(SECRET), { writecheckNotWritten: true })],
])('a write that threw is reported as %s, without any text of %s', async (result, error) => {
  const { client, reports } = clientOf();
  const rejected = client
    .guardWrite(intent, () => Promise.reject(error))
    .then(
      () => 'resolved',
      (thrown) => thrown,
    );
  expect(await rejected).toBe(error);
  expect(reports).toMatchObject([{ body: { result } }]);
  expect(JSON.stringify(reports)).not.toContain('4111');
});

it('an error whose members cannot be read is reported as unknown', async () => {
  const { client, reports } = clientOf();
  const error = new Proxy(new Error(SECRET), {
    get() {
      throw new TypeError(SECRET);
    },
  });
  await client.guardWrite(intent, () => Promise.reject(error)).catch(() => {});
  expect(reports).toMatchObject([{ body: { result: 'unknown' } }]);
});

it('nothing is reported if the client or the call says so, or if the write did not run on an allow', async () => {
  const off = clientOf([], { outcomes: false });
  await off.client.guardWrite(intent, () => 1);
  const { client, reports } = clientOf();
  await client.guardWrite(intent, () => 1, { outcomes: false });
  await client.checkWrite(intent);
  const down = createClient({
    apiKey: 'k',
    baseUrl: 'https://writecheck.example',
    retries: 0,
    fetch: async (url) => {
      reports.push({ url, body: null });
      throw new TypeError('fetch failed');
    },
  });
  expect(await down.guardWrite(intent, () => 1, { unprotected: true })).toMatchObject({ executed: true });
  expect(reports.filter(({ url }) => url.endsWith('/outcome'))).toEqual([]);
  expect(off.reports).toEqual([]);
});

it('a report is tried three times, and no response of the service makes the write fail or wait', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    for (const answers of [
      ['lost', 503, 'lost', 200],
      [500, 429, 500],
    ] as const) {
      const { client, reports } = clientOf(answers);
      expect(await client.guardWrite(intent, () => 'written')).toMatchObject({ result: 'written' });
      expect(reports).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(reports).toHaveLength(3);
    }
    for (const last of [200, 404, 409, 422, 403]) {
      const { client, reports } = clientOf([last]);
      await client.guardWrite(intent, () => 1);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(reports).toHaveLength(1);
    }
  } finally {
    vi.useRealTimers();
  }
});

it('a process ends while its report waits for a response, and the report has arrived', async () => {
  const reported = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    // Never responds: only the end of the process ends it.
    if (request.url?.endsWith('/outcome')) return reported.resolve();
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(allowFor(body, request.headers as Record<string, string>)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const program = `
    import { createClient } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)};
    const client = createClient({ apiKey: 'k', baseUrl: 'http://127.0.0.1:${port}', timeoutMs: 600_000 });
    await client.guardWrite(${JSON.stringify(intent)}, () => console.log('written'));`;
  const args = ['--conditions=writecheck-source', '--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
  expect(stdout).toBe('written\n');
  await reported.promise;
  server.closeAllConnections();
  server.close();
});
