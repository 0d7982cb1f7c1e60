/** Kills a process in the middle of changing reviews repeatedly: row and log must agree afterwards. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { parseEntry } from '@writecheck/ledger';
import type { Store } from '@writecheck/store/port';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { newWorkspace } from '../../../store/test/store-contract/store-contract-values.ts';
import { randomFrom, startChild, tortureFolder } from './kill-torture.ts';
import type { Order } from './torture-order.ts';

const verifyReviews = async (
  store: Store,
  workspace: string,
  acknowledged: ReadonlyMap<string, number>,
): Promise<readonly string[]> => {
  const entries = new Map<string, number>();
  for (const { log, size } of await store.logs()) {
    for (let at = 0; at < size; ) {
      const segments = await store.segments(log, at, 200);
      if (segments.length === 0) return [`the log ends at ${at} of ${size}`];
      for (const { leaf } of segments.flatMap((segment) => segment.entries)) {
        const entry = parseEntry(leaf);
        if (entry?.kind === 'review') entries.set(entry.review, (entries.get(entry.review) ?? 0) + 1);
        at += 1;
      }
    }
  }
  const faults: string[] = [];
  const rows = await store.findReviews(workspace, [...new Set([...entries.keys(), ...acknowledged.keys()])]);
  const versions = new Map(rows.map(({ id, version }) => [id, version]));
  for (const [id, version] of acknowledged) {
    if ((versions.get(id) ?? 0) < version) faults.push(`${id} has lost its version ${version}`);
  }
  for (const { id, version, state } of rows) {
    // Every change has one entry.
    if (entries.get(id) !== version)
      faults.push(`${id} is at ${version}, the log tells of ${entries.get(id)}`);
    const [item] = await store.attestationStates(workspace, [{ source: 'review-desk', jti: id }]);
    if (item!.revoked !== (state === 'cancelled'))
      faults.push(`${id} is ${state}, revoked: ${item!.revoked}`);
  }
  if (rows.length < entries.size) faults.push('the log tells of reviews that are not there');
  return faults;
};

export const tortureReviewsByKilling = async (rounds: number, seed: number) => {
  const random = randomFrom(seed);
  const folder = tortureFolder();
  const { workspace, keys } = newWorkspace();
  const made = await openSqliteStore(folder);
  await made.createWorkspace(workspace, keys);
  await made.close();
  const acknowledged = new Map<string, number>();
  for (let round = 0; round < rounds; round += 1) {
    const child = await startChild(folder);
    let heard = '';
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
    });
    child.send({ kind: 'review', workspace: workspace.id } satisfies Order);
    await once(child.stdout!, 'data');
    await new Promise((done) => setTimeout(done, random() * 60));
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
    for (const line of heard.split('\n').slice(0, -1)) {
      const [id, version] = line.split(' ') as [string, string];
      acknowledged.set(id, Number(version));
    }
  }
  const store = await openSqliteStore(folder);
  const faults = await verifyReviews(store, workspace.id, acknowledged);
  await store.close();
  rmSync(folder, { recursive: true });
  return { rounds, acknowledged: acknowledged.size, faults };
};

/** Runs `npm run torture -- reviews [rounds] [seed]`. */
export const torture = async (args: readonly string[]) => {
  const [rounds = 500, seed = Date.now() % 2 ** 32] = args.map(Number);
  const { acknowledged, faults } = await tortureReviewsByKilling(rounds, seed);
  return {
    claim: 'kill -9 leaves every review as the log tells of it, and loses no acknowledged change',
    count: `${rounds} kills, ${acknowledged} reviews`,
    seed: String(seed),
    faults,
  };
};
