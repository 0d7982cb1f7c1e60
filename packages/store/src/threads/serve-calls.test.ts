import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StoreUnavailable } from '../port.ts';
import { performOn, serveCalls } from './serve-calls.ts';

let { port1: here, port2: there } = new MessageChannel();
let failures: string[] = [];

beforeEach(() => {
  ({ port1: here, port2: there } = new MessageChannel());
  failures = [];
  serveCalls({
    port: there,
    perform: performOn({
      add: (a: number, b: number) => a + b,
      later: async (value: unknown) => value,
      fail(): void {
        throw new Error('the disk is on fire');
      },
      close: () => undefined,
    }),
    toUnavailable(thrown) {
      const failure = new StoreUnavailable('io', 'words for the caller');
      failure.cause = thrown;
      return failure;
    },
    failed: ({ why }) => failures.push(why),
  });
});
afterEach(() => here.close());

async function call(id: number, name: string, ...args: unknown[]): Promise<unknown> {
  const replied = once(here, 'message');
  here.postMessage({ id, name, args });
  return (await replied)[0];
}

test('a call gets its reply under its id, whether its operation waits or not', async () => {
  expect(await call(1, 'add', 2, 3)).toEqual({ id: 1, kind: 'value', value: 5 });
  expect(await call(2, 'later', 'x')).toEqual({ id: 2, kind: 'value', value: 'x' });
});

test('a failure is returned with its reason and its cause, and the thread is notified first', async () => {
  const stack = expect.stringContaining('serve-calls.test.ts');
  const failed = { kind: 'failed', why: 'io', cause: 'the disk is on fire', stack };
  expect(await call(1, 'fail')).toEqual({ id: 1, ...failed });
  expect(failures).toEqual(['io']);
  expect(await call(2, 'no such operation')).toMatchObject({ id: 2, kind: 'failed' });
});

test('the thread closes its port after its reply to close', async () => {
  const closed = once(here, 'close');
  expect(await call(1, 'close')).toMatchObject({ id: 1, kind: 'value' });
  await closed;
});
