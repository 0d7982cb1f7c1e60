/**
 * `npm run bench -- reviews`: what a check with an approval costs, what waiting callers cost the others, and
 * whether checks without an approval are affected. Ratios only, in interleaved rounds.
 */
import { connect, type Socket } from 'node:net';
import { atMost, median, type Row } from '../report.ts';
import { requestOf } from '../service.ts';
import {
  costUs,
  makeLiveKey,
  processorUs,
  type Service,
  startLoad,
  startService,
} from '../service-processes.ts';
import { APPROVED, benchApproved } from './approved.ts';
import { intentOf, openReview, PLAIN_ITEM } from './review-calls.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const WAITS = 1_000;
const WAITS_OF_KEY = 20;
const CONNECTIONS = 16;

const QUIET_MS = 300;
const QUIET_US = 30_000;

/** Until the service is done with opened or closed connections. */
async function quiet({ pid }: Service): Promise<void> {
  for (let before = -QUIET_US; processorUs(pid) - before >= QUIET_US; ) {
    before = processorUs(pid);
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
}

/** Connections that wait until they are destroyed. */
async function holdWaits(service: Service, waiting: readonly string[]): Promise<readonly Socket[]> {
  const sockets = waiting.map((request) => {
    const socket = connect({ port: service.port, host: '127.0.0.1' });
    socket.on('error', () => {});
    socket.write(request);
    return socket;
  });
  await quiet(service);
  if (sockets.some((socket) => socket.bytesRead > 0)) throw new Error('a wait was not held');
  return sockets;
}

async function waitRequests(service: Service): Promise<readonly string[]> {
  const requests: string[] = [];
  for (let key = 0; key < WAITS / WAITS_OF_KEY; key += 1) {
    const secret = await makeLiveKey(service);
    const { id } = await openReview(service, secret, `waited-${key}`);
    const head = `GET /v1/reviews/${id}?wait=50 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${secret}\r\n\r\n`;
    requests.push(...Array<string>(WAITS_OF_KEY).fill(head));
  }
  return requests;
}

export async function benchReviews(): Promise<readonly Row[]> {
  const [service, without] = await Promise.all([startService(), startService()]);
  const approved = await benchApproved(service);

  const load = await startLoad();
  const body = JSON.stringify(intentOf('plain', [PLAIN_ITEM]));
  const order = { connections: CONNECTIONS, warmUpMs: 200, measureMs: 1_000 };
  const request = requestOf(await makeLiveKey(service), body);
  const elsewhere = requestOf(await makeLiveKey(without), body);
  const waiting = await waitRequests(service);
  const [beside, among]: [number[], number[]] = [[], []];
  const costOf = (target: Service, sent: string) => costUs(target, load, { ...order, request: sent });
  for (let round = 0; round < ROUNDS; round += 1) {
    const bare = await costOf(without, elsewhere);
    const alone = await costOf(service, request);
    const sockets = await holdWaits(service, waiting);
    const held = await costOf(service, request);
    for (const socket of sockets) socket.destroy();
    await quiet(service);
    const shown = [bare, alone, held].map((us) => us.toFixed(0));
    console.log(
      `us of CPU time a check: ${shown[0]} without reviews, ${shown[1]} beside them, ${shown[2]} with ${WAITS} waits`,
    );
    if (round === 0) continue;
    beside.push(alone / bare);
    among.push(held / alone);
  }
  await Promise.all([load.stop(), service.stop(), without.stop()]);
  const reviews = APPROVED + WAITS / WAITS_OF_KEY;
  return [
    approved,
    atMost(`checks without an approval: beside ${reviews} reviews / without any`, median(beside), 1.1, 1.05),
    atMost(`checks while ${WAITS} callers wait / while nobody waits`, median(among), 1.1, 1.05),
  ];
}
