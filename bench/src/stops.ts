/** `npm run bench -- stops`: what it costs to take every allow with its check, and to report what became of it. */
import { median, type Row } from './report.ts';
import { benchBody, prepare, sentTo } from './service.ts';
import { DECISION, type LoadOrder, UNIQUE } from './service-load.ts';
import { processorUs, startLoad, startService } from './service-processes.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const REPORT = '{"result":"done"}';

export async function benchStops(): Promise<readonly Row[]> {
  const service = await startService();
  const load = await startLoad();
  const { request } = await prepare(service, benchBody());
  const taking = request.replace(
    '\r\n',
    `\r\nIdempotency-Key: ${UNIQUE}\r\nRedeem: the-claim-of-this-run\r\n`,
  );
  const report = sentTo(`/v1/decisions/${DECISION}/outcome`, request, REPORT);
  const perSecond = async (name: string, order: Pick<LoadOrder, 'request' | 'report'>): Promise<number> => {
    const before = [service, load].map(({ pid }) => processorUs(pid));
    const all = { connections: 64, warmUpMs: 100, measureMs: 500, port: service.port, ...order };
    const { perSecond: checks, answersInAll } = await load.apply(all);
    // The load shares the processor, and a report costs it a second request.
    const [own, loads] = [service, load].map(({ pid }, i) => (processorUs(pid) - before[i]!) / answersInAll);
    console.log(
      `${name.padEnd(9)} ${Math.round(checks)} checks a second, ${own!.toFixed(0)} us of CPU time each, and ${loads!.toFixed(0)} us of the load`,
    );
    return checks;
  };
  const taken: number[] = [];
  const reported: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const plain = await perSecond('plain', { request });
    // Every run has keys of its own.
    const run = taking.replace(UNIQUE, `${round}-${UNIQUE}`);
    const withClaims = await perSecond('taken', { request: run });
    const withReports = await perSecond('reported', { request, report });
    // The first rounds warm up.
    if (round < 2) continue;
    taken.push(withClaims / plain);
    reported.push(withReports / plain);
  }
  await Promise.all([load.stop(), service.stop()]);
  return [
    {
      measure: 'checks a second with every allow taken by `Redeem` / none',
      value: median(taken),
      bar: 0.9,
      goal: 0.97,
      better: 'higher',
    },
    {
      measure: 'checks a second with every allow reported / none',
      value: median(reported),
      bar: 0.8,
      goal: 0.9,
      better: 'higher',
    },
  ];
}
