/**
 * The baseline: a bare HTTP server that parses the same body and sends the same bytes. With ECHO_FILE it first appends
 * the body to that file, and answers after a sync that all bodies share which arrived meanwhile.
 */
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const answer = Buffer.from(process.env.ECHO_ANSWER ?? '', 'base64');
const path = process.env.ECHO_FILE;
const file = path === undefined ? null : await open(path, 'a');

interface Waiting {
  readonly body: Buffer;
  readonly answered: () => void;
}
let waiting: Waiting[] = [];
let isSyncing = false;

async function syncAll(): Promise<void> {
  isSyncing = true;
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    await file!.writev(group.map(({ body }) => body));
    await file!.datasync();
    for (const { answered } of group) answered();
  }
  isSyncing = false;
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    JSON.parse(body.toString());
    const answered = () => {
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': answer.length,
      });
      response.end(answer);
    };
    if (file === null) return answered();
    waiting.push({ body, answered });
    if (!isSyncing) void syncAll();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send!({ port: (server.address() as AddressInfo).port });
});
