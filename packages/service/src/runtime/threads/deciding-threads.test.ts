import { ForkAlarm } from '@writecheck/store/append-guard';
import type { Store } from '@writecheck/store/port';
import { afterEach, expect, test, vi } from 'vitest';
import { startThreads } from './deciding-threads.ts';
import type { ThreadOrder, ToThread } from './thread-messages.ts';

const { FakeWorker } = await vi.hoisted(async () => {
  const { EventEmitter } = await import('node:events');
  class FakeWorker extends EventEmitter {
    static readonly started: FakeWorker[] = [];
    readonly order: ThreadOrder;

    constructor(_: URL, { workerData }: { readonly workerData: ThreadOrder }) {
      super();
      this.order = workerData;
      FakeWorker.started.push(this);
    }

    postMessage({ kind }: ToThread): void {
      if (kind === 'start') this.emit('message', { kind: 'prepared' });
      if (kind === 'listen') this.emit('message', { kind: 'listening' });
    }
  }
  return { FakeWorker };
});

vi.mock('node:worker_threads', () => ({ Worker: FakeWorker }));
afterEach(() => vi.useRealTimers());

test('a replacement thread gets the log level that was set meanwhile', async () => {
  vi.useFakeTimers();
  const ignore = () => undefined;
  const threads = await startThreads({
    flags: { logLevel: 'info' },
    count: 2,
    store: {} as Store,
    alarm: new ForkAlarm(),
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    gaveUp: ignore,
  });
  threads.setLogLevel('debug');
  FakeWorker.started[1]!.emit('exit', 1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(FakeWorker.started.map(({ order }) => [order.worker, order.flags.logLevel])).toEqual([
    [1, 'info'],
    [2, 'info'],
    [2, 'debug'],
  ]);
});
