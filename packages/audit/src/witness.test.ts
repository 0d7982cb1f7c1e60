import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { witnessCommand } from './witness.ts';

const KEY = 'writecheck+e84ffca8+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c';

test.each([[[KEY]], [undefined]])(
  'a service that cannot be reached leaves no folder behind',
  async (keys) => {
    const out = join(mkdtempSync(join(tmpdir(), 'writecheck-witness-')), 'kept');
    const options = keys === undefined ? { out } : { out, keys };
    await expect(witnessCommand('http://127.0.0.1:1', options)).rejects.toMatchObject({ exitCode: 2 });
    expect(existsSync(out)).toBe(false);
  },
);

test('a continuous witness survives a failing service, reports it, and checks again', async () => {
  const out = join(mkdtempSync(join(tmpdir(), 'writecheck-witness-')), 'kept');
  let looks = 0;
  let enough = (): void => {};
  const seen = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const server = createServer((_request, response) => {
    looks += 1;
    if (looks === 1) response.destroy();
    else if (looks === 2) response.writeHead(503).end();
    else if (looks === 3) response.setHeader('content-type', 'application/json').end('{"logs": 5}');
    else response.setHeader('content-type', 'application/json').end('{"logs": []}');
    if (looks === 5) enough();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const program = join(import.meta.dirname, 'writecheck-audit.ts');
  const args = ['witness', url, '--keys', KEY, '--out', out, '--every', '1'];
  const witness = spawn(process.execPath, ['--conditions=writecheck-source', program, ...args]);
  let log = '';
  witness.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const ended = new Promise((resolve) => witness.once('close', resolve));
  await Promise.race([seen, ended]);
  expect(witness.exitCode, log).toBe(null);
  witness.kill();
  await ended;
  server.close();
  const lines = log.trimEnd().split('\n');
  expect(lines.map((line) => line.replace(/^\S+Z /, ''))).toEqual([
    `the check failed, next attempt in 1 s: \`${url}\` cannot be reached`,
    `the check failed, next attempt in 1 s: \`${url}\` responded with 503 at \`/v1/audit/logs\``,
    `the check failed, next attempt in 1 s: \`${url}\` lists no logs`,
  ]);
});

test('a checkpoint of an unknown key is a finding, and says what to do if the key was rotated', async () => {
  const note = `writecheck/log-1\n1\n${Buffer.alloc(32).toString('base64')}\n\n— writecheck ${Buffer.alloc(68).toString('base64')}\n`;
  const server = createServer((request, response) => {
    const isList = request.url === '/v1/audit/logs';
    response.setHeader('content-type', isList ? 'application/json' : 'text/plain');
    response.end(isList ? '{"logs": [{"log": "log-1"}]}' : note);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const out = join(mkdtempSync(join(tmpdir(), 'writecheck-witness-')), 'kept');
  await expect(witnessCommand(url, { out, keys: [KEY] })).rejects.toMatchObject({
    exitCode: 1,
    message:
      'changed: log `log-1`: the checkpoint is signed by none of the keys given; if the signing key was rotated, add the new line to the keys of this witness',
  });
  server.close();
});

test('a log that cannot be checked does not hide that another log is gone', async () => {
  const out = mkdtempSync(join(tmpdir(), 'writecheck-witness-'));
  writeFileSync(join(out, 'log-a.jsonl'), '');
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/v1/audit/logs') response.end('{"logs": [{"log": "log-b"}]}');
    else response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(witnessCommand(url, { out, keys: [KEY] })).rejects.toMatchObject({
    exitCode: 1,
    message:
      'changed: log `log-a` existed before and is missing now\n' +
      `not every log was checked: \`${url}\` responded with 503 at \`/v1/audit/checkpoint?log=log-b\``,
  });
  server.close();
});

test('a wrong --keys ends a continuous witness', async () => {
  const options = { out: '/nowhere', keys: ['/nowhere/keys'], every: '1' };
  await expect(witnessCommand('http://127.0.0.1:1', options)).rejects.toMatchObject({ exitCode: 2 });
});
