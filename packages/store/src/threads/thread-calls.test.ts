import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { StoreUnavailable } from '../port.ts';
import { PortCall } from './thread-calls.ts';

const ends: MessagePort[] = [];
const calls = () =>
  new PortCall(
    () => {
      const { port1, port2 } = new MessageChannel();
      ends.push(port2);
      return port1;
    },
    (why) => new StoreUnavailable(why, why),
  );
afterEach(() => {
  for (const end of ends.splice(0)) end.close();
});
const whyOf = (call: Promise<unknown>): Promise<unknown> => call.catch(({ why }: StoreUnavailable) => why);

test('a reply to another call, or a second one to the same, is ignored', async () => {
  const calling = calls();
  const first = calling.call('a');
  const second = calling.call('b');
  const [end] = ends;
  for (const id of [7, 2, 2, 1]) end!.postMessage({ id, kind: 'value', value: id });
  expect(await Promise.all([first, second])).toEqual([1, 2]);
  await calling.close();
});

test('if the port closes, no call in progress gets a value, and the next call uses a new port', async () => {
  const calling = calls();
  const lost = [whyOf(calling.call('a')), whyOf(calling.call('b'))];
  ends[0]!.close();
  expect(await Promise.all(lost)).toEqual(['unknown', 'unknown']);
  const next = calling.call('c');
  ends[1]!.postMessage({ id: 1, kind: 'value', value: 'again' });
  expect(await next).toBe('again');
  await calling.close();
  expect(await whyOf(calling.call('d'))).toBe('closed');
});
