/**
 * `npm run bench -- micro`: what each optimization saves, as a share of the processor time of a check. Each is
 * measured against the plain version; one that saves less than 2 % is not worth its code.
 */

import type { Case } from './micro-case.ts';
import { CASES } from './micro-cases.ts';
import { atLeast, type Row } from './report.ts';
import { benchBody, prepare } from './service.ts';
import { processorUs, startLoad, startService } from './service-processes.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 11);
const ROUND_MS = 10;
const SHARE_MIN = 0.02;
const WARM_UP_CHECKS = 60_000;

export async function benchMicro(): Promise<readonly Row[]> {
  const checkUs = await usOfCheck();
  console.log(`a check takes ${checkUs.toFixed(1)} us of processor time`);
  return CASES.map((one): Row => {
    const { trickNs, plainNs } = measured(one);
    const savedUs = ((plainNs - trickNs) * one.timesPerCheck) / 1_000;
    console.log(
      `${one.name.padEnd(44)} ${trickNs.toFixed(0).padStart(6)} ns, plain ${plainNs.toFixed(0).padStart(6)} ns, ` +
        `${one.timesPerCheck} times a check: saves ${savedUs.toFixed(2)} us`,
    );
    return atLeast(
      `${one.name}, share of a check saved`,
      savedUs / checkUs,
      one.isOneLine ? 0 : SHARE_MIN,
      SHARE_MIN,
    );
  });
}

/** The whole service under load, because results are a share of that; the fastest round, as below. */
async function usOfCheck(): Promise<number> {
  const service = await startService();
  const { request } = await prepare(service, benchBody());
  const load = await startLoad();
  const order = { port: service.port, connections: 64, request, warmUpMs: 0, measureMs: 500 };
  // Counts checks and not time: on a busy machine the same time compiles less of the code.
  for (let answers = 0; answers < WARM_UP_CHECKS; ) {
    answers += (await load.apply({ ...order, measureMs: 2_000 })).answersInAll;
  }
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = processorUs(service.pid);
    const { answersInAll } = await load.apply(order);
    rounds.push((processorUs(service.pid) - before) / answersInAll);
  }
  await Promise.all([load.stop(), service.stop()]);
  return Math.min(...rounds);
}

/** The fastest of interleaved rounds, by processor time: other processes on the machine then matter little. */
function measured({ trick, plain }: Case): { readonly trickNs: number; readonly plainNs: number } {
  const times = timesIn(ROUND_MS, plain);
  const rounds = Array.from({ length: ROUNDS }, () => ({
    trick: nsOf(trick, times),
    plain: nsOf(plain, times),
  }));
  return {
    trickNs: Math.min(...rounds.map((round) => round.trick)),
    plainNs: Math.min(...rounds.map((round) => round.plain)),
  };
}

function timesIn(ms: number, run: (i: number) => unknown): number {
  let times = 64;
  while (nsOf(run, times) * times < ms * 1e6) times *= 2;
  return times;
}

let kept: unknown;

function nsOf(run: (i: number) => unknown, times: number): number {
  const { user, system } = process.cpuUsage();
  // The result must be used, or the compiler may remove the work.
  for (let i = 0; i < times; i += 1) kept = run(i) ?? kept;
  const after = process.cpuUsage();
  return ((after.user - user + after.system - system) * 1_000) / times;
}
