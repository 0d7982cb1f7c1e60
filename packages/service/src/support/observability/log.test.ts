import { expect, test } from 'vitest';
import { createSecret } from '../../features/keys/key-format.ts';
import { createLog } from './log.ts';

function logged(fields: object, message: string): string {
  let out = '';
  createLog('info', (line) => {
    out += line;
  }).info(fields, message);
  return out;
}

test('no secret passes, wherever it is in a line', () => {
  for (const kind of ['development', 'live', 'owner', 'service', 'session', 'invitation'] as const) {
    const secret = createSecret(kind);
    const line = logged(
      { deep: { authorization: `Bearer ${secret}`, list: [secret] }, error: new Error(secret) },
      secret,
    );
    expect(line).not.toContain(secret.slice(-20));
    expect(line).toContain('[redacted]');
  }
});

test('bearer tokens, attestations and passwords in URLs are redacted', () => {
  const jws = 'eyJhbGciOiJFZERTQSJ9.eyJqdGkiOiIxIn0.c2lnbmF0dXJl';
  const line = logged({ url: 'postgres://me:hunter2@db/x', jws, header: 'Bearer something-else' }, 'hello');
  for (const secret of ['hunter2', jws, 'something-else']) expect(line).not.toContain(secret);
  expect(line).toContain('"url":"postgres://me:[redacted]@db/x"');
});

test('a line is one JSON object with level, time and message', () => {
  expect(JSON.parse(logged({ port: 1 }, 'listening'))).toMatchObject({
    level: 'info',
    port: 1,
    msg: 'listening',
  });
});
