/** Kills a service with several deciding threads under load, over and over: nothing it answered may be missing. */
import { rmSync } from 'node:fs';
import { openStore } from '../src/open-store.ts';
import { ALLOWED, ask } from './ask.ts';
import { randomFrom, tortureFolder } from './kill-torture.ts';
import { callersOf, requestOf } from './load.ts';
import { spawnWritecheck } from './spawn-service.ts';

const WORKERS = 3;
const CONNECTIONS = 32;

interface Keys {
  readonly workspace: string;
  readonly live: string;
}

async function firstKeys(stdout: string, url: string): Promise<Keys> {
  const owner = /wck_own_\w+/.exec(stdout)![0];
  const { body } = await ask(`${url}/v1/keys`, { key: owner, json: { kind: 'live', name: 'torture' } });
  return { workspace: /ws_\w+/.exec(stdout)![0], live: body.secret };
}

/** The ids of all decisions that were answered before the process was killed. */
async function killUnderLoad(folder: string, keys: Keys | null, lastsMs: number) {
  const args = ['--data', folder, '--port', '0', '--workers', String(WORKERS), '--log-level', 'error'];
  const service = spawnWritecheck(['serve', ...args]);
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
  // However slow the machine is, it is killed while it answers.
  while (answered.length < CONNECTIONS && wrong.length === 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, lastsMs));
  service.child.kill('SIGKILL');
  await service.finished;
  await Promise.all(lanes);
  return { keys: known, answered, wrong };
}

export const tortureCores = async (rounds: number, seed: number) => {
  const random = randomFrom(seed);
  const folder = tortureFolder();
  const faults: string[] = [];
  let keys: Keys | null = null;
  let acknowledged = 0;
  for (let round = 0; round < rounds; round += 1) {
    const killed = await killUnderLoad(folder, keys, random() * 200);
    keys = killed.keys;
    faults.push(...killed.wrong.map((each) => `round ${round}: ${each}`));
    const store = await openStore({ data: folder });
    for (const id of killed.answered) {
      if ((await store.findDecision(keys.workspace, id)) === null)
        faults.push(`round ${round}: ${id} is lost`);
    }
    const [head] = await store.logs();
    const charged = (await store.usage(keys.workspace, new Date().toISOString().slice(0, 7))).live;
    if (charged !== head!.size) faults.push(`round ${round}: ${charged} charged, ${head!.size} recorded`);
    await store.close();
    acknowledged += killed.answered.length;
  }
  rmSync(folder, { recursive: true });
  return { acknowledged, faults };
};

/** For `npm run torture -- cores [rounds] [seed]`. */
export const torture = async (args: readonly string[]) => {
  const [rounds = 100, seed = Date.now() % 2 ** 32] = args.map(Number);
  const { acknowledged, faults } = await tortureCores(rounds, seed);
  return {
    claim: `kill -9 of ${WORKERS} deciding threads under load loses no acknowledged decision`,
    count: `${rounds} kills, ${acknowledged} acknowledged`,
    seed: String(seed),
    faults,
  };
};
