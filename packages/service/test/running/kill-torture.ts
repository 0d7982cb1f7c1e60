/** Kills a process in the middle of its commits repeatedly: nothing acknowledged may be missing from the log. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Frontier, leafHash } from '@writecheck/ledger';
import type { Store } from '@writecheck/store/port';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { newWorkspace } from '../../../store/test/store-contract/store-contract-values.ts';
import { serverCanEnter } from '../postgres-process.ts';
import type { Order } from './torture-order.ts';

export const startChild = async (folder: string) => {
  const file = fileURLToPath(new URL('torture-child.ts', import.meta.url));
  const child = fork(file, {
    env: { ...process.env, TORTURE_FOLDER: folder },
    execArgv: ['--conditions=writecheck-source'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
};

/**
 * A folder on the same disk as the program: if `/tmp` is memory, a sync proves nothing. In a checkout that only
 * root may enter it is a temporary folder, because PostgreSQL runs as another user.
 */
export const tortureFolder = (): string => {
  const here = import.meta.dirname;
  return mkdtempSync(join(serverCanEnter(here) ? here : tmpdir(), '.torture-'));
};

/** A small generator of our own, so that a run can be repeated from its seed. */
export const randomFrom = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

const verifyLog = async (store: Store, workspace: string): Promise<readonly string[]> => {
  const head = (await store.logs())[0]!;
  const frontier = new Frontier();
  while (frontier.size < head.size) {
    const segments = await store.segments(head.log, frontier.size, 200);
    if (segments.length === 0) return [`the log ends at ${frontier.size} of ${head.size}`];
    for (const { entries } of segments) for (const { leaf } of entries) frontier.append(leafHash(leaf));
  }
  const faults: string[] = [];
  if (!Buffer.from(frontier.toBytes()).equals(head.frontier))
    faults.push('the frontier does not fit the leaves');
  const periods = new Set(
    [new Date(Date.now() - 3_600_000), new Date()].map((at) => at.toISOString().slice(0, 7)),
  );
  let charged = 0;
  for (const period of periods) charged += (await store.usage(workspace, period)).live;
  if (charged !== head.size) faults.push(`${charged} charged, ${head.size} recorded`);
  return faults;
};

export interface KillResult {
  readonly rounds: number;
  readonly acknowledged: number;
  readonly recorded: number;
  readonly faults: readonly string[];
}

export const tortureByKilling = async (rounds: number, seed: number): Promise<KillResult> => {
  const random = randomFrom(seed);
  const folder = tortureFolder();
  const { workspace, keys } = newWorkspace();
  const faults: string[] = [];
  const acknowledged: string[] = [];
  let found = 0;
  let recorded = 0;
  const made = await openSqliteStore(folder);
  await made.createWorkspace(workspace, keys);
  await made.close();
  let next = startChild(folder);
  for (let round = 0; round < rounds; round += 1) {
    const child = await next;
    let heard = '';
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
    });
    const order: Order = { kind: 'ask', workspace: workspace.id, lanes: 1 + Math.floor(random() * 32) };
    child.send(order);
    await once(child.stdout!, 'data');
    // The next process starts while this one works; it touches the store only once it has its order.
    if (round + 1 < rounds) next = startChild(folder);
    await new Promise((done) => setTimeout(done, random() * 60));
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
    const lines = heard.split('\n').slice(0, -1);
    for (const line of lines) {
      const [id, decision] = line.split(' ') as [string, string];
      if (decision === 'allow') acknowledged.push(id);
      else faults.push(`round ${round}: ${line}`);
    }
    const isLast = round + 1 === rounds;
    if (!isLast && round % 50 !== 49) continue;
    const store = await openSqliteStore(folder);
    faults.push(...(await verifyLog(store, workspace.id)));
    for (const id of acknowledged.splice(0)) {
      if ((await store.findDecision(workspace.id, id)) === null) faults.push(`round ${round}: ${id} is lost`);
      else found += 1;
    }
    if (isLast) recorded = (await store.logs())[0]!.size;
    await store.close();
  }
  rmSync(folder, { recursive: true });
  return { rounds, acknowledged: found, recorded, faults };
};

/** Runs `npm run torture -- kill [rounds] [seed]`. */
export const torture = async (args: readonly string[]) => {
  const [rounds = 2_000, seed = Date.now() % 2 ** 32] = args.map(Number);
  const result = await tortureByKilling(rounds, seed);
  return {
    claim: 'kill -9 under load loses no acknowledged decision',
    count: `${result.rounds} kills, ${result.acknowledged} acknowledged, ${result.recorded} recorded`,
    seed: String(seed),
    faults: result.faults,
  };
};
