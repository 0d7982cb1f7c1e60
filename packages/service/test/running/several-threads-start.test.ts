/** A start of three deciding threads, seen from outside, and the limits that they share. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../../scripts/free-port.ts';
import type { Supervised } from '../../../cli/src/operator/supervise.ts';
import { makeFirstWorkspace } from '../../src/runtime/open-store.ts';
import { ALLOWED } from '../ask.ts';
import { callerOf, callersOf, requestOf } from '../load.ts';
import { CONNECTIONS, endAll, startThreads, WORKERS } from './threads-kit.ts';

const RATE = 50;
const HEALTHY = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';

const folder = mkdtempSync(join(tmpdir(), 'writecheck-threads-'));
let service: Supervised;
let early: readonly string[] = [];
let late: readonly string[] = [];

/** The outcome of a health request on a new connection: its status, or why there is none. */
async function probe(url: string): Promise<string> {
  try {
    const caller = await callerOf(url, HEALTHY);
    const { status } = await caller.ask();
    caller.end();
    return String(status);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

beforeAll(async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const starting = startThreads({ data: folder, port: String(port), ratePerKey: String(RATE) });
  const before: string[] = [];
  do before.push(await probe(url));
  while (before.at(-1) !== '200');
  const after: string[] = [];
  for (let round = 0; round < 40; round += 1)
    after.push(...(await Promise.all(Array.from({ length: 10 }, () => probe(url)))));
  early = before;
  late = after;
  service = await starting;
}, 120_000);
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('no probe is healthy before all threads listen', () => {
  expect(service.threads.running.size).toBe(WORKERS);
  expect(early.length).toBeGreaterThan(1);
  expect(early.filter((outcome) => outcome === '200')).toHaveLength(1);
});

test('after the first healthy response no connection is dropped', () => {
  expect(new Set(late)).toEqual(new Set(['200']));
});

test('the rate of a key applies over all threads', async () => {
  const { developmentKey } = (await makeFirstWorkspace(service.store, Date.now()))!;
  const callers = await callersOf(service.url, requestOf(developmentKey, ALLOWED), CONNECTIONS);
  const startedMs = performance.now();
  const statuses: number[] = [];
  await Promise.all(
    callers.map(async (caller) => {
      for (let i = 0; i < 6; i += 1) statuses.push((await caller.ask()).status);
    }),
  );
  endAll(callers);
  const windows = Math.ceil((performance.now() - startedMs) / 1_000);
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(windows * RATE * 1.1);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(RATE);
});
