/** The baseline: a bare HTTP server that parses the same body and sends the same bytes. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const answer = Buffer.from(process.env.ECHO_ANSWER ?? '', 'base64');

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    JSON.parse(body.toString());
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': answer.length,
    });
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send!({ port: (server.address() as AddressInfo).port });
});
