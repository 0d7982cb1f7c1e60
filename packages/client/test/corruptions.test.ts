import { request } from 'node:http';
import { createServer } from 'node:net';
import { intentDigest } from '@writecheck/contract';
import { expect } from 'vitest';
import { allowFor, corruptAnswer, httpAnswer } from '../../../conformance/client-kit/index.ts';
import { testInPart } from '../../../scripts/in-part.ts';
import { seededRandom } from '../../../scripts/seeded-random.ts';
import { createClient } from '../src/index.ts';
import { runCorruptions } from './corruptions.ts';
import { isValidAllow } from './independent-check.ts';

testInPart(
  {
    part: 2_000,
    whole: 20_000,
    named: (count) =>
      `runs the write in ${count} corrupted and late answers only where one is still a valid allow`,
  },
  async (wanted) => {
    const { answers, executed, stopped, faults } = await runCorruptions(wanted, 20_260_301);
    expect(faults).toEqual([]);
    expect(answers).toBe(wanted);
    // Neither side of the comparison may be empty, or it would prove nothing.
    expect(executed).toBeGreaterThan(wanted / 20);
    expect(stopped).toBeGreaterThan(wanted / 2);
  },
);

testInPart(
  {
    part: 200,
    whole: 2_000,
    named: (count) =>
      `runs the write in ${count} answers corrupted on the wire only where node:http reads a valid allow`,
  },
  async (answers) => {
    const random = seededRandom(7);
    const intent = { system: 'crm', operation: 'contact.update' };
    let bytes: Uint8Array = new Uint8Array();
    let requestId = '';
    let claim = '';
    let makeAnswer = (_allow: Readonly<Record<string, unknown>>): Uint8Array => bytes;
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (data) => {
        const head = data.toString('latin1');
        if (head.includes('/redeem HTTP')) return socket.end(httpAnswer('{}', { status: 404 }));
        const asked = /^x-request-id: *(.+?)\r$/im.exec(head)?.[1];
        // The second reader has no id and gets the same bytes as the client.
        if (asked !== undefined) {
          requestId = asked;
          claim = /^redeem: *(.+?)\r$/im.exec(head)?.[1] ?? '';
          bytes = makeAnswer(allowFor(JSON.stringify(intent), { 'x-request-id': asked, redeem: claim }));
        }
        return socket.end(bytes);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const client = createClient({
      apiKey: 'wck_dev_wire',
      baseUrl: `http://127.0.0.1:${port}`,
      timeoutMs: 500,
      retries: 0,
      outcomes: false,
    });
    const counts = { executed: 0, stopped: 0 };
    for (let answer = 0; answer < answers; answer += 1) {
      makeAnswer = (allow) => {
        const whole = httpAnswer(JSON.stringify(allow));
        // Half of them are damaged in the head of the message, which the corruptions of JSON never reach.
        const head = whole.indexOf('\r\n\r\n') + 4;
        return answer % 2 === 0 ? damaged(whole, head, random) : httpAnswer(corruptAnswer(allow, random));
      };
      const { executed } = await client.guardWrite(intent, () => {});
      if (executed) {
        counts.executed += 1;
        const seen = await read(port);
        const valid = isValidAllow({
          ...seen,
          elapsedMs: 0,
          timeoutMs: 500,
          intentDigest: intentDigest(intent),
          requestId,
          claim,
        });
        expect(valid, Buffer.from(bytes).toString('latin1')).toBe(true);
      } else counts.stopped += 1;
    }
    expect(counts.executed).toBeGreaterThan(answers / 20);
    expect(counts.stopped).toBeGreaterThan(answers / 4);
    server.close();
  },
);

function damaged(bytes: Uint8Array, below: number, random: () => number): Uint8Array {
  const copy = bytes.slice();
  for (let left = 1 + Math.floor(random() * 3); left > 0; left -= 1) {
    copy[Math.floor(random() * below)]! ^= 1 << Math.floor(random() * 8);
  }
  return random() < 0.2 ? copy.slice(0, Math.floor(random() * copy.length)) : copy;
}

function read(port: number) {
  return new Promise<
    Pick<Parameters<typeof isValidAllow>[0], 'status' | 'contentType' | 'body' | 'replayed' | 'dateMs'>
  >((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', method: 'POST' }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type']?.toLowerCase() ?? null,
          body: Buffer.concat(chunks),
          replayed: 'idempotency-replayed' in response.headers,
          dateMs: null,
        }),
      );
    });
    asked.on('error', reject);
    asked.end('{}');
  });
}
