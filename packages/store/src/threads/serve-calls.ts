/** The other end of calls into a thread: it performs them one after another and replies to each. */
import type { MessagePort } from 'node:worker_threads';
import type { StoreUnavailable } from '../port/failure.ts';
import type { Attach, CallReply } from './thread-calls.ts';

export interface ThreadCall {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

interface Serving {
  /** The port to the thread that started this one. It may attach the ports of others. */
  readonly port: MessagePort;
  readonly perform: (call: ThreadCall) => unknown;
  readonly toUnavailable: (thrown: unknown) => StoreUnavailable;
  /** Called for every failed call, before its reply is sent. */
  readonly failed?: (failure: StoreUnavailable) => void;
}

/** Runs until `close`, which is performed and replied to like any other call. */
export function serveCalls(serving: Serving): void {
  const { port } = serving;
  const attached = new Set<MessagePort>();
  port.on('message', (message: ThreadCall | Attach) => {
    if ('attach' in message) {
      const other = message.attach;
      attached.add(other);
      other.on('close', () => attached.delete(other));
      other.on('message', (call: ThreadCall) => serveCall(serving, other, call));
      return;
    }
    serveCall(serving, port, message, () => {
      if (message.name !== 'close') return;
      port.close();
      for (const other of attached) other.close();
    });
  });
}

function serveCall(serving: Serving, port: MessagePort, call: ThreadCall, replied?: () => void): void {
  const reply = (outcome: CallReply): void => {
    port.postMessage(outcome);
    replied?.();
  };
  const done = (value: unknown): void => reply({ id: call.id, kind: 'value', value });
  const fail = (thrown: unknown): void => reply(failureOf(call, thrown, serving));
  let value: unknown;
  try {
    value = serving.perform(call);
  } catch (thrown) {
    fail(thrown);
    return;
  }
  if (value instanceof Promise) value.then(done, fail);
  else done(value);
}

function failureOf({ id }: ThreadCall, thrown: unknown, { toUnavailable, failed }: Serving): CallReply {
  const failure = toUnavailable(thrown);
  failed?.(failure);
  const { why, cause } = failure;
  const { message = '', stack = '' } = cause instanceof Error ? cause : {};
  return { id, kind: 'failed', why, cause: message, stack };
}

/** Calls the operation that a call names, with its arguments. */
export function performOn(operations: object): (call: ThreadCall) => unknown {
  return ({ name, args }) => (operations as Operations)[name]!(...args);
}

type Operations = { readonly [name: string]: (...args: readonly unknown[]) => unknown };
