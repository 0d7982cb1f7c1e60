/**
 * A service with several deciding threads. Killed under load repeatedly: no decision it returned may be
 * missing. And if a month's allowance is requested several times over concurrently, exactly the allowance is
 * admitted.
 */
import { rmSync } from 'node:fs';
import { DEVELOPMENT_CHECKS_A_MONTH } from '../../src/features/keys/allowance.ts';
import { openStore } from '../../src/runtime/open-store.ts';
import { ALLOWED, ask } from '../ask.ts';
import { callerOf, callersOf, requestOf } from '../load.ts';
import { ownerKeyOf, spawnWritecheck } from '../spawn-service.ts';
import { randomFrom, tortureFolder } from './kill-torture.ts';

const WORKERS = 3;
const CONNECTIONS = 32;
const AT_ONCE = 5_000;
/** Refused callers retry sooner than the response says. */
const RETRY_MS = 100;

interface Keys {
  readonly workspace: string;
  readonly live: string;
}

async function firstKeys(stdout: string, url: string): Promise<Keys> {
  const owner = ownerKeyOf(stdout);
  const { body } = await ask(`${url}/v1/keys`, { key: owner, json: { kind: 'live', name: 'torture' } });
  return { workspace: /ws_\w+/.exec(stdout)![0], live: body.secret };
}

function serve(folder: string, workers: number) {
  const args = ['--data', folder, '--port', '0', '--workers', String(workers), '--log-level', 'error'];
  return spawnWritecheck(['serve', ...args]);
}

/** The ids of all decisions returned before the process was killed. */
async function killUnderLoad(folder: string, workers: number, keys: Keys | null, lastsMs: number) {
  const service = serve(folder, workers);
  const url = await service.listening;
  const known = keys ?? (await firstKeys(service.stdout(), url));
  const callers = await callersOf(url, requestOf(known.live, ALLOWED), CONNECTIONS);
  const answered: string[] = [];
  const wrong: string[] = [];
  const lanes = callers.map(async (caller) => {
    for (;;) {
      const reply = await caller.ask().catch(() => null);
      if (reply === null) return;
      if (reply.status === 200) answered.push(JSON.parse(reply.body).decision_id);
      else wrong.push(`${reply.status} ${reply.body}`);
    }
  });
  // However slow the machine is, the process is killed while it responds.
  while (answered.length < CONNECTIONS && wrong.length === 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, lastsMs));
  service.child.kill('SIGKILL');
  await service.finished;
  await Promise.all(lanes);
  return { keys: known, answered, wrong };
}

export const tortureCores = async (rounds: number, seed: number, workers = WORKERS) => {
  const random = randomFrom(seed);
  const folder = tortureFolder();
  const faults: string[] = [];
  let keys: Keys | null = null;
  let acknowledged = 0;
  for (let round = 0; round < rounds; round += 1) {
    const killed = await killUnderLoad(folder, workers, keys, random() * 200);
    keys = killed.keys;
    faults.push(...killed.wrong.map((each) => `round ${round}: ${each}`));
    const store = await openStore({ data: folder });
    for (const id of killed.answered) {
      if ((await store.findDecision(keys.workspace, id)) === null)
        faults.push(`round ${round}: ${id} is lost`);
    }
    const [head] = await store.logs();
    const charged = (await store.usage(keys.workspace, new Date().toISOString().slice(0, 7))).live;
    // The first entry is the creation of the live key.
    const recorded = head!.size - 1;
    if (charged !== recorded) faults.push(`round ${round}: ${charged} charged, ${recorded} recorded`);
    await store.close();
    acknowledged += killed.answered.length;
  }
  rmSync(folder, { recursive: true });
  return { acknowledged, faults };
};

/** Opens as many connections as there are checks, so that all arrive together. */
async function spendAtOnce(workers: number): Promise<readonly string[]> {
  const folder = tortureFolder();
  const service = serve(folder, workers);
  const url = await service.listening;
  const request = requestOf(/wck_dev_\w+/.exec(service.stdout())![0], ALLOWED);
  const statuses = await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const caller = await callerOf(url, request);
      for (;;) {
        const { status } = await caller.ask();
        if (status === 503) {
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
          continue;
        }
        caller.end();
        return status;
      }
    }),
  );
  service.child.kill('SIGTERM');
  await service.finished;
  rmSync(folder, { recursive: true });
  const admitted = statuses.filter((status) => status === 200).length;
  const over = statuses.filter((status) => status === 429).length;
  return admitted === DEVELOPMENT_CHECKS_A_MONTH && admitted + over === AT_ONCE
    ? []
    : [`of ${AT_ONCE} at once, ${admitted} were admitted and ${over} were over the allowance`];
}

/** Runs `npm run torture -- cores [rounds] [seed] [workers]`. */
export const torture = async (args: readonly string[]) => {
  const [rounds = 100, seed = Date.now() % 2 ** 32, workers = WORKERS] = args.map(Number);
  const { acknowledged, faults } = await tortureCores(rounds, seed, workers);
  return {
    claim: `kill -9 of ${workers} deciding threads under load loses no acknowledged decision; of ${AT_ONCE} checks at once exactly ${DEVELOPMENT_CHECKS_A_MONTH} are admitted`,
    count: `${rounds} kills, ${acknowledged} acknowledged`,
    seed: String(seed),
    faults: [...faults, ...(await spendAtOnce(workers))],
  };
};
