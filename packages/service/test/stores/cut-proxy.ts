/** A proxy between a store and its database that cuts the connection at a chosen step of the protocol. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export const CUTS = [
  /** The cut comes as soon as a client connects. */
  'on_connect',
  /** The cut comes after the server's first message, during authentication. */
  'in_authentication',
  /** The commit never reaches the server. */
  'before_commit',
  /** Half of the commit reaches the server. */
  'half_commit',
  /** All of it arrives, but the outcome on the server is unknown. */
  'with_commit',
  /** The server has committed, and its response is lost. */
  'after_commit',
  /** The server has committed, and half of its response arrives. */
  'half_answer',
  /** Nothing moves from the commit on, and no side hangs up. */
  'freeze',
] as const;
export type Cut = (typeof CUTS)[number];

/** The beginning of the name of the prepared statement, which every commit sends. */
const COMMIT = Buffer.from('commit_');
const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);

export class CutProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #target: number;
  #armed: Cut | null = null;
  #onCut: (() => void) | null = null;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => this.#accept(client));
  }

  static async to(target: number): Promise<CutProxy> {
    const proxy = new CutProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** The same URL, by way of this proxy. */
  through(url: string): string {
    const through = new URL(url);
    through.port = String((this.#server.address() as { readonly port: number }).port);
    return through.href;
  }

  /** Where new connections lead. */
  lead(target: number): void {
    this.#target = target;
  }

  /** Cuts at the next occasion; resolves once it has. */
  cut(step: Cut): Promise<void> {
    this.#armed = step;
    if (step === 'on_connect' || step === 'in_authentication') this.hangUp();
    return new Promise((resolve) => {
      this.#onCut = resolve;
    });
  }

  disarm(): void {
    this.#armed = null;
  }

  /** Ends every open connection. */
  hangUp(): void {
    for (const [client, server] of this.#pairs) {
      client.destroy();
      server.destroy();
    }
  }

  async close(): Promise<void> {
    this.hangUp();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #done(): void {
    this.#armed = null;
    this.#onCut?.();
  }

  #accept(client: Socket): void {
    if (this.#armed === 'on_connect') {
      client.destroy();
      this.#done();
      return;
    }
    const server = connect(this.#target, '127.0.0.1');
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    let isFrozen = false;
    let isCommitting = false;
    let awaitsAnswer: 'lost' | 'half' | null = null;
    const end = (): void => {
      if (isFrozen) return;
      this.#pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', end);
    }
    client.on('data', (chunk: Buffer) => {
      if (isFrozen) return;
      const step = this.#armed;
      isCommitting ||= chunk.includes(COMMIT);
      if (!isCommitting || step === null) {
        if (chunk.subarray(-SYNC.length).equals(SYNC)) isCommitting = false;
        server.write(chunk);
        return;
      }
      switch (step) {
        case 'before_commit':
          this.#done();
          end();
          return;
        case 'half_commit':
          this.#done();
          server.write(chunk.subarray(0, Math.floor(chunk.length / 2)), end);
          return;
        case 'freeze':
          isFrozen = true;
          this.#done();
          return;
      }
      const isWhole = chunk.subarray(-SYNC.length).equals(SYNC);
      if (isWhole && step === 'with_commit') {
        this.#done();
        server.write(chunk, end);
        return;
      }
      if (isWhole) awaitsAnswer = step === 'half_answer' ? 'half' : step === 'after_commit' ? 'lost' : null;
      if (isWhole) isCommitting = false;
      server.write(chunk);
    });
    server.on('data', (chunk: Buffer) => {
      if (isFrozen) return;
      if (this.#armed === 'in_authentication') {
        this.#done();
        end();
        return;
      }
      if (awaitsAnswer === null) {
        client.write(chunk);
        return;
      }
      this.#done();
      if (awaitsAnswer === 'lost') end();
      else client.write(chunk.subarray(0, Math.floor(chunk.length / 2)), end);
    });
  }
}
