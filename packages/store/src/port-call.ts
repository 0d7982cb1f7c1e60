/** Calls into a thread that another thread owns: over a port of their own, and over a new one if it closes. */
import type { MessagePort } from 'node:worker_threads';
import { type CallReply, PendingCalls, type ThreadCalls, type Unavailable } from './pending-calls.ts';

interface Running {
  readonly port: MessagePort;
  readonly pending: PendingCalls;
}

export class PortCall implements ThreadCalls {
  readonly #connect: () => MessagePort;
  readonly #unavailable: Unavailable;
  #running: Running | null = null;
  #closed = false;

  /** `connect` returns one end of a channel whose other end is on its way to the thread. */
  constructor(connect: () => MessagePort, unavailable: Unavailable) {
    this.#connect = connect;
    this.#unavailable = unavailable;
  }

  async call(name: string, ...args: readonly unknown[]): Promise<unknown> {
    return (await this.#run().pending.send(name, args)).value;
  }

  async move(
    name: string,
    arg: unknown,
    buffer: ArrayBuffer,
  ): Promise<{ readonly value: unknown; readonly moved: ArrayBuffer | null }> {
    const { value, moved } = await this.#run().pending.send(name, [arg], [buffer]);
    return { value, moved: moved ?? null };
  }

  /** The thread goes on for the others. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running?.pending.settled();
    this.#running?.port.close();
  }

  #run(): Running {
    if (this.#closed) throw this.#unavailable('closed');
    if (this.#running !== null) return this.#running;
    const port = this.#connect();
    const pending = new PendingCalls((call, moved) => port.postMessage(call, moved), this.#unavailable);
    port.on('message', (reply: CallReply) => pending.answered(reply));
    // Both ends close when either thread ends.
    port.on('close', () => {
      if (this.#running?.port === port) this.#running = null;
      pending.failAll(new Error('the thread at the other end has ended'));
    });
    this.#running = { port, pending };
    return this.#running;
  }
}
