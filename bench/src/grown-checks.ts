/** `npm run bench -- grown-checks`: how a large store affects checks and memory. Needs much free disk. */
import { rmSync, statfsSync } from 'node:fs';
import { makeKey } from '@writecheck/service/features/keys/make-key';
import { newId } from '@writecheck/service/support/ids/new-id';
import type { Store } from '@writecheck/store/port';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { fillStore } from './fill-log.ts';
import { atMost, median, type Row } from './report.ts';
import { benchBody, prepare, requestOf } from './service.ts';
import { memoryMb, newFolder, startLoad, startService } from './service-processes.ts';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 2_000_000);
const CHECKS = Number(process.env.BENCH_CHECKS ?? 1_000_000);
const WORKSPACES = Number(process.env.BENCH_WORKSPACES ?? 10_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** A record with its leaf and index entries, plus its copy in the write-ahead log. */
const BYTES_A_RECORD = 9_000;

function requireDisk(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  const needed = (RECORDS + CHECKS) * BYTES_A_RECORD;
  if (bavail * bsize < needed) {
    const gib = (bytes: number) => (bytes / 2 ** 30).toFixed(1);
    throw new Error(
      `grown-checks needs ${gib(needed)} GiB of free disk, but only ${gib(bavail * bsize)} GiB are free; lower BENCH_RECORDS`,
    );
  }
}

/** Each with its own live key and no bundle, so that the request's controls decide. */
async function fillWorkspaces(store: Store): Promise<readonly string[]> {
  const secrets: string[] = [];
  for (let i = 0; i < WORKSPACES; i += 1) {
    const nowMs = Date.now();
    const live = makeKey({ kind: 'live', name: 'bench' }, nowMs);
    const owner = makeKey({ kind: 'owner', name: 'bench' }, nowMs);
    const workspace = { id: newId('ws_', nowMs), name: `bench ${i}`, createdAtMs: nowMs, liveGranted: true };
    await store.createWorkspace(workspace, [owner.row, live.row]);
    secrets.push(live.secret);
  }
  return secrets;
}

export async function benchGrownChecks(): Promise<readonly Row[]> {
  const folder = newFolder();
  const load = await startLoad();
  try {
    requireDisk(folder);
    const body = benchBody();
    const small = await startService();
    const { request } = await prepare(small, body);

    const empty = await startService({ WRITECHECK_DATA: folder });
    const { request: toGrown } = await prepare(empty, body);
    await empty.stop();
    const store = await openSqliteStore(folder);
    let startedMs = performance.now();
    await fillStore(store, RECORDS);
    console.log(`${RECORDS} records written in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
    startedMs = performance.now();
    const secrets = await fillWorkspaces(store);
    console.log(`${WORKSPACES} workspaces in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
    await store.close();

    // The filled records are unsigned, unlike those of a running service, so the first start reads all of them.
    await (await startService({ WRITECHECK_DATA: folder })).stop();
    const grown = await startService({ WRITECHECK_DATA: folder });
    const order = { connections: 64, warmUpMs: 500, measureMs: 2_000 };
    const toMany = secrets.map((secret) => requestOf(secret, body));
    const slower: number[] = [];
    const slowerByWorkspaces: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const before = await load.apply({ ...order, port: small.port, request });
      const after = await load.apply({ ...order, port: grown.port, request: toGrown });
      const one = await load.apply({ ...order, port: grown.port, request: toMany[0]! });
      const many = await load.apply({ ...order, port: grown.port, request: toMany });
      const figures = [before, after, one, many].map(({ perSecond }) => Math.round(perSecond));
      console.log(
        `a second: new store ${figures[0]}, grown ${figures[1]}, one workspace ${figures[2]}, many ${figures[3]}`,
      );
      // The first round warms up.
      if (round === 0) continue;
      slower.push(before.perSecond / after.perSecond);
      slowerByWorkspaces.push(one.perSecond / many.perSecond);
    }

    let checks = 0;
    const resident: number[] = [];
    while (checks < CHECKS) {
      const { answersInAll } = await load.apply({ ...order, measureMs: 5_000, port: small.port, request });
      checks += answersInAll;
      resident.push(memoryMb(small.pid));
    }
    console.log(`resident MB along ${checks} checks: ${resident.map((mb) => mb.toFixed(0)).join(' ')}`);
    await Promise.all([small.stop(), grown.stop()]);
    return [
      atMost(`${RECORDS} audit records instead of none: check slows by`, median(slower), 1.15, 1.05),
      atMost(`${WORKSPACES} workspaces instead of 1: check slows by`, median(slowerByWorkspaces), 1.2, 1.05),
      atMost(`start on ${RECORDS} records, seconds`, grown.startMs / 1_000, 1, 0.6),
      atMost(`memory after ${checks} checks, MB`, resident.at(-1)!, 300, 150),
    ];
  } finally {
    await load.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
