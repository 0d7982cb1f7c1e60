/** `npm run bench -- stops`: what it costs to take every allow with its check, and to report its outcome. */
import { availableParallelism } from 'node:os';
import { atLeast, median, type Row } from './report.ts';
import { DECISION } from './reporters.ts';
import { benchBody, prepare, sentTo } from './service.ts';
import { type LoadOrder, UNIQUE } from './service-load.ts';
import { processorUs, startLoad, startService } from './service-processes.ts';

/** One process of load cannot keep several deciding threads busy. */
const LOADS = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 4)));
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const REPORT = '{"result":"done"}';

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);

export async function benchStops(): Promise<readonly Row[]> {
  const service = await startService();
  const loads = await Promise.all(Array.from({ length: LOADS }, startLoad));
  const { request } = await prepare(service, benchBody());
  const keyed = request.replace('\r\n', `\r\nIdempotency-Key: ${UNIQUE}\r\n`);
  const taking = keyed.replace('\r\n', '\r\nRedeem: the-claim-of-this-run\r\n');
  const report = sentTo(`/v1/decisions/${DECISION}/outcome`, request, REPORT);
  const perSecond = async (
    name: string,
    order: Pick<LoadOrder, 'report'> & { readonly request: string },
  ): Promise<number> => {
    const used = () => [processorUs(service.pid), sum(loads.map(({ pid }) => processorUs(pid)))];
    const before = used();
    const all = { connections: 64 / LOADS, warmUpMs: 100, measureMs: 500, port: service.port, ...order };
    // Every load process has separate keys.
    const requestOf = (i: number) => order.request.replace(UNIQUE, `${i}-${UNIQUE}`);
    const results = await Promise.all(loads.map((load, i) => load.apply({ ...all, request: requestOf(i) })));
    const checks = sum(results.map(({ perSecond: each }) => each));
    const answers = sum(results.map(({ answersInAll }) => answersInAll));
    // The load process shares the processor, and a report costs it a second request.
    const [own, loadUs] = used().map((now, i) => (now - before[i]!) / answers);
    console.log(
      `${name.padEnd(9)} ${Math.round(checks)} checks a second, ${own!.toFixed(0)} us of CPU time each, and ${loadUs!.toFixed(0)} us of the load`,
    );
    return checks;
  };
  const taken: number[] = [];
  /** The cost of the `Redeem` header for a caller that sends the key anyway. */
  const redeemed: number[] = [];
  const reported: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const plain = await perSecond('plain', { request });
    // Every run has separate keys.
    const ofRun = (asked: string, kind: string) => asked.replace(UNIQUE, `${kind}-${round}-${UNIQUE}`);
    const withKeys = await perSecond('keyed', { request: ofRun(keyed, 'keyed') });
    const withClaims = await perSecond('taken', { request: ofRun(taking, 'taken') });
    const withReports = await perSecond('reported', { request, report });
    // The first rounds warm up.
    if (round < 2) continue;
    taken.push(withClaims / plain);
    redeemed.push(withClaims / withKeys);
    reported.push(withReports / plain);
  }
  await Promise.all([service, ...loads].map((each) => each.stop()));
  return [
    atLeast('checks a second with every allow taken by `Redeem` / none', median(taken), 0.9, 0.97),
    atLeast('the same / with an `Idempotency-Key` alone', median(redeemed), 0.9, 0.97),
    atLeast('checks a second with every allow reported / none', median(reported), 0.8, 0.9),
  ];
}
