/** A service with three deciding threads in this process, and callers that reach each thread. */
import { type Supervised, startSupervised } from '../../../cli/src/operator/supervise.ts';
import { type Flags, loadConfig } from '../../src/support/config/load-config.ts';
import { createLog } from '../../src/support/observability/log.ts';
import type { Answered, Caller } from '../load.ts';

export const WORKERS = 3;
/** The system distributes connections at random: with this many, each thread gets some. */
export const CONNECTIONS = 48;

export async function startThreads(
  settings: Flags,
  write: (line: string) => void = () => undefined,
): Promise<Supervised> {
  const flags = { port: '0', metricsPort: '0', logLevel: 'error', ...settings };
  const loaded = loadConfig({}, flags);
  if (loaded.kind === 'invalid') throw new Error(loaded.faults.join());
  return startSupervised(flags, loaded.config, WORKERS, createLog('debug', write), () => undefined);
}

export const askAll = (callers: readonly Caller[]): Promise<Answered[]> =>
  Promise.all(callers.map((caller) => caller.ask()));

/** A request that waits too long for the first one under a key gets a retry, and a busy machine is slow. */
export async function askUntilSettled(caller: Caller): Promise<Answered> {
  const answer = await caller.ask();
  return answer.body.includes('"request_in_flight"') ? askUntilSettled(caller) : answer;
}

export const endAll = (callers: readonly Caller[]): void => {
  for (const caller of callers) caller.end();
};

/** Each different status with its error code. */
export const codesOf = (answers: readonly Answered[]): string[] => [
  ...new Set(answers.map(({ status, body }) => `${status} ${JSON.parse(body).error?.code ?? ''}`.trim())),
];
