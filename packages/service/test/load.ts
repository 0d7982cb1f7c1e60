/** Callers for load tests: raw connections, each with one request in progress at a time. */
import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';

export interface Answered {
  readonly status: number;
  readonly tookMs: number;
  readonly head: string;
  readonly body: string;
}

export interface Caller {
  ask(): Promise<Answered>;
  end(): void;
}

export function requestOf(key: string, json: unknown, path = '/v1/check-write'): string {
  const body = JSON.stringify(json);
  const head = [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', 'Content-Type: application/json'];
  head.push(`Authorization: Bearer ${key}`, `Content-Length: ${Buffer.byteLength(body)}`);
  return `${head.join('\r\n')}${HEAD_END}${body}`;
}

export async function callerOf(url: string, request: string): Promise<Caller> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ port: Number(port), host: hostname, noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  socket.setEncoding('latin1');
  return {
    ask: () =>
      new Promise((resolve, reject) => {
        const sentMs = performance.now();
        let text = '';
        const closed = () => reject(new Error('the connection was closed'));
        const read = (chunk: string) => {
          text += chunk;
          const end = text.indexOf(HEAD_END);
          if (end === -1) return;
          const head = text.slice(0, end);
          const body = text.slice(end + HEAD_END.length);
          if (body.length < Number(/content-length: (\d+)/i.exec(head)?.[1])) return;
          socket.off('data', read).off('close', closed);
          const status = Number(head.slice(9, 12));
          resolve({ status, tookMs: performance.now() - sentMs, head, body });
        };
        if (socket.closed) return closed();
        socket.on('data', read).once('close', closed).removeAllListeners('error').once('error', reject);
        socket.write(request);
      }),
    end: () => void socket.destroy(),
  };
}

export const callersOf = (url: string, request: string, count: number): Promise<Caller[]> =>
  Promise.all(Array.from({ length: count }, () => callerOf(url, request)));

/** Each sends the next request after its response, and pauses after a refusal, until it is stopped. */
export function keepAsking(callers: readonly Caller[], pauseMs: number) {
  const answers: Answered[] = [];
  let isOver = false;
  const all = callers.map(async (caller) => {
    while (!isOver) {
      const answer = await caller.ask();
      answers.push(answer);
      if (answer.status !== 200) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    caller.end();
  });
  return {
    answers,
    async stop() {
      isOver = true;
      await Promise.all(all);
      return answers;
    },
  };
}
