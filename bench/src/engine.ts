/** `npm run bench -- engine`: compares the engine with other libraries on an equal decision, and with many profiles. */
import { decide } from '@writecheck/engine';
import { benchIntent, benchSnapshot, makePeers, NOW_MS, type Peer } from './engine-peers.ts';
import { atLeast, atMost, median, type Row } from './report.ts';

const ROUNDS = 9;
const ROUND_MS = 120;

export async function benchEngine(): Promise<readonly Row[]> {
  const peers = await makePeers();
  for (const peer of peers) await checkAnswers(peer);
  const sized = [1, 1000].map((profiles): Peer => {
    const snapshot = benchSnapshot(profiles);
    return {
      name: `writecheck, ${profiles} profile(s)`,
      decide: (intent) => decide(intent, [], snapshot, NOW_MS).decision === 'allow',
    };
  });

  const rates = await measure([...peers, ...sized]);
  console.log('\ndecisions per second on one core, five controls with full evaluations (median of rounds)');
  for (const [name, rate] of rates)
    console.log(`  ${name.padEnd(28)} ${Math.round(rate).toLocaleString('en')}`);
  const ours = rates.get('writecheck')!;
  const best = Math.max(...peers.slice(1).map(({ name }) => rates.get(name)!));
  return [
    atLeast('decide, decisions per second', ours, 300_000, 300_000),
    atLeast('decide / the best peer', ours / best, 10, 20),
    atMost(
      '1,000 profiles instead of 1: decide slows by',
      rates.get(sized[0]!.name)! / rates.get(sized[1]!.name)!,
      1.3,
      1.1,
    ),
  ];
}

/** Fails if a library gives a wrong decision. */
async function checkAnswers({ name, decide: ask }: Peer): Promise<void> {
  if ((await ask(benchIntent('PASS'))) !== true || (await ask(benchIntent('FAIL'))) !== false) {
    throw new Error(`${name} does not give the expected decisions`);
  }
}

/** Interleaves rounds, so that noise affects all libraries alike. */
async function measure(peers: readonly Peer[]): Promise<ReadonlyMap<string, number>> {
  const intent = benchIntent();
  const rates = new Map<string, number[]>(peers.map(({ name }) => [name, []]));
  for (let round = -2; round < ROUNDS; round += 1) {
    for (const { name, decide: ask } of peers) {
      let count = 0;
      const start = performance.now();
      let elapsedMs = 0;
      while (elapsedMs < ROUND_MS) {
        for (let index = 0; index < 50; index += 1) {
          const answer = ask(intent);
          if (typeof answer !== 'boolean') await answer;
        }
        count += 50;
        elapsedMs = performance.now() - start;
      }
      // Negative rounds warm up.
      if (round >= 0) rates.get(name)!.push((count / elapsedMs) * 1000);
    }
  }
  return new Map([...rates].map(([name, list]) => [name, median(list)]));
}
