/** One client cannot stop a service for the others: what it may hold of the memory is limited, and others are answered. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ALLOWED, ask } from '../ask.ts';
import { type RawSocket, rawSocket } from '../raw-socket.ts';
import { ownerKeyOf, type Spawned, spawnWritecheck, temporaryFolder } from '../spawn-service.ts';

let spawned: Spawned;
let url: string;
let data: string;
let flood: Flood[] = [];

beforeEach(async () => {
  data = temporaryFolder();
  // One thread: it must serve the others too.
  spawned = spawnWritecheck([
    'serve',
    '--data',
    data,
    '--port',
    '0',
    '--workers',
    '1',
    '--log-level',
    'error',
  ]);
  url = await spawned.listening;
});
afterEach(async () => {
  for (const { socket } of flood) socket.destroy();
  flood = [];
  spawned.child.kill('SIGKILL');
  await spawned.finished;
});

interface Flood extends RawSocket {
  readonly responses: () => number;
}

const STATUS_LINE = 'HTTP/1.1 ';

/** Counts responses, and keeps nothing of them. */
async function send(request: string, times: number): Promise<Flood> {
  const connection = await rawSocket(url);
  const { socket } = connection;
  let count = 0;
  let last = '';
  socket.removeAllListeners('data');
  socket.on('data', (chunk) => {
    const text = last + String(chunk);
    count += text.split(STATUS_LINE).length - 1;
    last = text.slice(1 - STATUS_LINE.length);
  });
  socket.write(request.repeat(times));
  const sent = { ...connection, responses: () => count };
  flood.push(sent);
  return sent;
}

/** In megabytes. Where the system does not say, the test still shows that others are answered. */
function memory(): number {
  const status = `/proc/${spawned.child.pid}/status`;
  if (!existsSync(status)) return 0;
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))![1]) / 1_024;
}

/** Somebody else keeps asking until the flood has enough responses; returns the largest memory. */
async function largestUntil(isEnough: () => boolean, askElse: () => Promise<number>): Promise<number> {
  let largest = 0;
  let answered = 0;
  while (!isEnough() || answered < 3) {
    expect(await askElse()).toBe(200);
    answered += 1;
    largest = Math.max(largest, memory());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return largest;
}

const get = (path: string, key?: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${key === undefined ? '' : `Authorization: Bearer ${key}\r\n`}\r\n`;
const healthz = async (): Promise<number> => (await ask(`${url}/healthz`)).status;

test('2,000 first requests for the console, in one write on one connection', async () => {
  const { responses } = await send(get('/'), 2_000);
  expect(await largestUntil(() => responses() >= 2_000, healthz)).toBeLessThan(600);
});

test('many first requests, for all that anybody may ask', async () => {
  const { body } = await ask(`${url}/openapi.json`);
  const open = Object.entries<Record<string, { readonly security: readonly unknown[] }>>(body.paths)
    .filter(([, methods]) => methods.get?.security.length === 0)
    .map(([path]) => path.replaceAll(/\{\w+\}/g, 'x'));
  expect(open).toEqual(expect.arrayContaining(['/readyz', '/v1/audit/checkpoint', '/.well-known/jwks.json']));
  const assets = /assets\/[\w.-]+/g;
  const page = readPage();
  const paths = [
    ...open,
    '/invitation',
    '/',
    ...(page.match(assets) ?? []).map((path) => `/${path}`),
    '/assets/none.js',
  ];
  for (const path of paths) for (let i = 0; i < 4; i += 1) await send(get(path), 50);
  expect(await largestUntil(() => flood.every(({ responses }) => responses() >= 50), healthz)).toBeLessThan(
    600,
  );
});

/** Empty if the console is not built here. */
function readPage(): string {
  try {
    return readFileSync(join(import.meta.dirname, '../../console/index.html'), 'utf8');
  } catch {
    return '';
  }
}

test('1,000 exports on each of a few connections, one of which reads nothing', async () => {
  const owner = ownerKeyOf(spawned.stdout());
  const made = await ask(`${url}/v1/keys`, { key: owner, json: { kind: 'live', name: 'live' } });
  const key = made.body.secret;
  const checks = Array.from({ length: 40 }, (_, i) => ({ ...ALLOWED, agentValue: `${i}`.repeat(1_000) }));
  for (let i = 0; i < 20; i += 1) await ask(`${url}/v1/check-write/batch`, { key, json: { checks } });
  const lazy = await send(get('/v1/audit/export', owner), 1_000);
  lazy.socket.pause();
  const busy: Flood[] = [];
  for (let i = 0; i < 4; i += 1) busy.push(await send(get('/v1/audit/export', owner), 1_000));
  const check = async () => (await ask(`${url}/v1/check-write`, { key, json: ALLOWED })).status;
  const isEnough = () => busy.every(({ responses }) => responses() >= 30);
  expect(await largestUntil(isEnough, check)).toBeLessThan(900);
});
