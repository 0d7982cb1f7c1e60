/** A load generator in its own process: raw sockets, one request in flight per connection, every latency recorded. */
import { connect } from 'node:net';
import { DECISION, startReporters } from './reporters.ts';

export interface LoadOrder {
  readonly port: number;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** The complete request, or several that each connection sends in turn. */
  readonly request: string | readonly string[];
  /** Reports the outcome of every decision, on as many connections again. */
  readonly report?: string;
  /** Counts 503 separately and retries after this long. Without it, any status but 200 ends the run. */
  readonly retryAfterMs?: number;
}

export interface Refused {
  readonly count: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Includes the warm-up. */
  readonly answersInAll: number;
  readonly refused: Refused;
}

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)/i;
/** In a request: replaced by another number each time. */
export const UNIQUE = '#'.repeat(16);
const DECISION_MEMBER = '"decision_id":"';

/** A request that is sent unchanged, or each time with another number in it. */
function sender(request: string): () => Buffer {
  const bytes = Buffer.from(request);
  const at = bytes.indexOf(UNIQUE);
  let count = 0;
  if (at === -1) return () => bytes;
  return () => {
    const own = Buffer.from(bytes);
    own.write(String(count++).padStart(UNIQUE.length, '0'), at, 'latin1');
    return own;
  };
}

export async function applyLoad(order: LoadOrder): Promise<LoadResult> {
  const requests = [order.request].flat().map(sender);
  // One buffer for all connections, to leave more CPU time to the servers.
  const received = Buffer.alloc(64 * 1024);
  let next = 0;
  const latencies: number[] = [];
  const refusals: number[] = [];
  let answersInAll = 0;
  let isMeasuring = false;
  let isOver = false;
  const reporters =
    order.report === undefined ? null : startReporters(order.port, order.connections, order.report);
  const converse = () =>
    new Promise<void>((resolve, reject) => {
      let missingBytes = -1;
      let sentAt = 0;
      let isRefused = false;
      let decisionId = '';
      const send = () => {
        missingBytes = -1;
        sentAt = performance.now();
        socket.write(requests[next++ % requests.length]!());
      };
      const receive = (bytes: number) => {
        if (missingBytes === -1) {
          const end = received.subarray(0, bytes).indexOf(HEAD_END);
          if (end === -1) return reject(new Error('the head of a response came in pieces'));
          const head = received.toString('latin1', 0, end + 2);
          // A refusal is fast and must never count as a response.
          isRefused = order.retryAfterMs !== undefined && head.startsWith('HTTP/1.1 503');
          if (!isRefused && !head.startsWith('HTTP/1.1 200'))
            return reject(new Error(received.toString('utf8', 0, bytes)));
          missingBytes = head.length + 2 + Number(LENGTH.exec(head)![1]);
          if (reporters !== null) {
            const idAt = received.subarray(0, bytes).indexOf(DECISION_MEMBER, end) + DECISION_MEMBER.length;
            decisionId = received.toString('latin1', idAt, idAt + DECISION.length);
          }
        }
        missingBytes -= bytes;
        if (missingBytes > 0) return;
        answersInAll += 1;
        if (isMeasuring) (isRefused ? refusals : latencies).push(performance.now() - sentAt);
        if (!isOver && isRefused) return void setTimeout(send, order.retryAfterMs);
        if (!isOver) return reporters === null ? send() : reporters.report(decisionId, send);
        socket.end();
        resolve();
      };
      const onread = {
        buffer: received,
        callback(bytes: number) {
          receive(bytes);
          return true;
        },
      };
      const socket = connect({ port: order.port, host: '127.0.0.1', noDelay: true, onread });
      socket.on('connect', send);
      socket.on('error', reject);
    });
  const conversations = Promise.all(Array.from({ length: order.connections }, converse));
  const pause = (ms: number) => Promise.race([conversations, new Promise((done) => setTimeout(done, ms))]);
  await pause(order.warmUpMs);
  isMeasuring = true;
  const startedAt = performance.now();
  await pause(order.measureMs);
  isMeasuring = false;
  const seconds = (performance.now() - startedAt) / 1_000;
  isOver = true;
  await conversations;
  await reporters?.end();
  const at = (values: number[], share: number) => {
    values.sort((a, b) => a - b);
    return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
  };
  return {
    perSecond: latencies.length / seconds,
    p50Ms: at(latencies, 0.5),
    p99Ms: at(latencies, 0.99),
    answersInAll,
    refused: { count: refusals.length, p99Ms: at(refusals, 0.99), longestMs: at(refusals, 1) },
  };
}

if (process.send !== undefined) {
  process.on('message', async (order: LoadOrder) => {
    try {
      process.send!({ kind: 'result', result: await applyLoad(order) });
    } catch (error) {
      process.send!({ kind: 'failed', message: String(error) });
    }
  });
}
