/** `npm run bench -- fairness`: a burst of connections on an idle service, and a neighbor at full load. */
import { connect } from 'node:net';
import { atMost, median, type Row } from './report.ts';
import { benchBody, prepare, requestOf } from './service.ts';
import { makeLiveKey, newWorkspace, startLoad, startService } from './service-processes.ts';

const BURST = 1_000;
const BURST_ROUNDS = 3;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const OUR_CONNECTIONS = 64;
/** Four times as many connections as keep the service busy. */
const NEIGHBOR_CONNECTIONS = 256;
const RETRY_AFTER_MS = 50;

export async function benchFairness(): Promise<readonly Row[]> {
  const service = await startService();
  const body = benchBody();
  const { request } = await prepare(service, body);
  const neighbor = requestOf(await makeLiveKey(await newWorkspace(service)), body);
  const [ours, theirs] = await Promise.all([startLoad(), startLoad()]);
  const order = { port: service.port, warmUpMs: 1_000, measureMs: 2_000, retryAfterMs: RETRY_AFTER_MS };
  await ours.apply({ ...order, request, connections: OUR_CONNECTIONS });

  const bursts: number[] = [];
  let refusedInBursts = 0;
  for (let round = 0; round < BURST_ROUNDS; round += 1) {
    const { seconds, refused } = await burst(service.port, request);
    console.log(`burst of ${BURST}: ${seconds.toFixed(3)} s, ${refused} refused`);
    bursts.push(seconds);
    refusedInBursts += refused;
  }

  const ratios: number[] = [];
  let refusedOfOurs = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const alone = await ours.apply({ ...order, request, connections: OUR_CONNECTIONS });
    const flood = theirs.apply({
      ...order,
      request: neighbor,
      connections: NEIGHBOR_CONNECTIONS,
      measureMs: 2 * order.measureMs,
    });
    const beside = await ours.apply({ ...order, request, connections: OUR_CONNECTIONS });
    const { refused } = await flood;
    console.log(
      `ours alone p99 ${alone.p99Ms.toFixed(1)} ms, with a neighbor ${beside.p99Ms.toFixed(1)} ms; ` +
        `refused: ours ${beside.refused.count}, theirs ${refused.count}`,
    );
    ratios.push(beside.p99Ms / alone.p99Ms);
    refusedOfOurs += beside.refused.count;
  }
  await Promise.all([ours.stop(), theirs.stop(), service.stop()]);
  return [
    atMost(
      `${BURST} simultaneous connections to an idle service, seconds until all have a response`,
      median(bursts),
      1,
      0.4,
    ),
    atMost('requests refused in those bursts', refusedInBursts, 0, 0),
    atMost(
      `a neighbor with ${NEIGHBOR_CONNECTIONS} connections: p99 of our ${OUR_CONNECTIONS} / alone`,
      median(ratios),
      3,
      2,
    ),
    atMost('our requests refused next to that neighbor', refusedOfOurs, 0, 0),
  ];
}

/** Includes the time to open the connections. */
async function burst(port: number, request: string): Promise<{ seconds: number; refused: number }> {
  const bytes = Buffer.from(request);
  const startedAt = performance.now();
  const heads = await Promise.all(
    Array.from({ length: BURST }, () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.write(bytes);
      return new Promise<string>((resolve, reject) => {
        socket.once('error', reject).once('data', (data) => {
          resolve(data.toString('latin1', 0, 12));
          socket.destroy();
        });
      });
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  return { seconds, refused: heads.filter((head) => head !== 'HTTP/1.1 200').length };
}
