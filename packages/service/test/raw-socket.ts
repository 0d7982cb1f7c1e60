/** Talks to a port byte by byte, as no ordinary client would. */
import { connect, type Socket } from 'node:net';

export interface RawSocket {
  readonly socket: Socket;
  send(text: string): void;
  /** Everything received, once the other side has closed. */
  closed(): Promise<string>;
  /** Everything received, once it is enough or the other side has closed. */
  until(isEnough: (text: string) => boolean): Promise<string>;
}

export async function rawSocket(url: string): Promise<RawSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  let isClosed = false;
  socket.setEncoding('utf8');
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  return {
    socket,
    send: (sent) => void socket.write(sent),
    async until(isEnough) {
      while (!isClosed && !isEnough(text)) await new Promise((resolve) => setTimeout(resolve, 1));
      return text;
    },
    async closed() {
      while (!isClosed) await new Promise((resolve) => setTimeout(resolve, 1));
      return text;
    },
  };
}
