/** `npm run bench -- impact`: how fast a run replays, how much memory it takes, and how much it slows checks. */
import { readdirSync, readFileSync } from 'node:fs';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { fillStore } from './fill-log.ts';
import { atLeast, atMost, median, type Row } from './report.ts';
import { benchBody, prepare } from './service.ts';
import { call, memoryMb, newFolder, type Service, startLoad, startService } from './service-processes.ts';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 2_000_000);
/** Many rounds, each between two without a run, because on a busy machine speed changes within seconds. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
const LOOK_EVERY_MS = 100;
/** From here on a run has allocated everything that it keeps for long. */
const WARM_SHARE = 0.25;
const WARM_RECORDS = 10_000;
/** In `/proc/PID/stat`, after the name. */
const NICE_FIELD = 16;

interface Run {
  readonly run: {
    readonly id: string;
    readonly state: string;
    readonly progress: { readonly done: number; readonly total: number };
  };
}

function callOn(service: Service, method: string, path: string, json?: object): Promise<Run> {
  return call(service, `/v1/policies/impact${path}`, service.ownerKey, json, method);
}

/**
 * The processor time of a run: its thread, which has the lowest priority, and V8's helpers. The rest of the
 * service has its own work, even while a run rests.
 */
function replayUs(pid: number): number {
  let us = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const [ran] = readTask(pid, task, 'schedstat').split(' ');
    const [name = '', fields = ''] = readTask(pid, task, 'stat').split(') ');
    const isOfRun = fields.split(' ')[NICE_FIELD] === '19' || name.endsWith('V8Worker');
    if (isOfRun) us += Number(ran) / 1_000;
  }
  return us;
}

/** Empty if the thread has just ended. */
function readTask(pid: number, task: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/task/${task}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

/** By processor time, because the machine may have other work. */
async function replay(service: Service): Promise<{ perSecond: number; warmMb: number; mostMb: number }> {
  const startedUs = replayUs(service.pid);
  let perSecond = 0;
  const { run } = await callOn(service, 'POST', '', { current: true });
  const mb: { readonly share: number; readonly mb: number }[] = [];
  for (;;) {
    const { run: now } = await callOn(service, 'GET', `/${run.id}`);
    mb.push({ share: now.progress.done / Math.max(1, now.progress.total), mb: memoryMb(service.pid) });
    if (now.state === 'done') {
      const warm = mb.find(({ share }) => share >= WARM_SHARE)!.mb;
      const most = Math.max(...mb.filter(({ share }) => share >= WARM_SHARE).map((one) => one.mb));
      return { perSecond, warmMb: warm, mostMb: most };
    }
    if (now.state !== 'running') throw new Error(`the run is ${now.state}`);
    // The thread ends with its run, so the last reading before that counts.
    perSecond = (now.progress.done / (replayUs(service.pid) - startedUs)) * 1_000_000;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/**
 * Returns once the run is warm. Before that V8 compiles its code in threads of normal priority: a second or so of
 * processor time, once, while a run of two million takes minutes.
 */
async function startReplaying(service: Service): Promise<string> {
  const { run } = await callOn(service, 'POST', '', { current: true });
  for (;;) {
    const { run: now } = await callOn(service, 'GET', `/${run.id}`);
    if (now.progress.done >= WARM_RECORDS) return run.id;
    if (now.state !== 'running') throw new Error(`the run is ${now.state}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

export async function benchImpact(): Promise<readonly Row[]> {
  const folder = newFolder();
  const first = await startService({ WRITECHECK_DATA: folder });
  const { request } = await prepare(first, benchBody());
  await first.stop();
  const store = await openSqliteStore(folder);
  await fillStore(store, RECORDS);
  await store.close();
  const service = { ...(await startService({ WRITECHECK_DATA: folder })), ownerKey: first.ownerKey };
  console.log(`${RECORDS} records are there`);
  const { perSecond, warmMb, mostMb } = await replay(service);
  console.log(
    `${Math.round(perSecond)} a second, ${warmMb.toFixed(0)} MB early, ${mostMb.toFixed(0)} MB at most`,
  );

  const load = await startLoad();
  const order = { port: service.port, request, connections: 64, warmUpMs: 500, measureMs: 2_000 };
  const shares: number[] = [];
  let before = await load.apply(order);
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await startReplaying(service);
    const beside = await load.apply(order);
    const { run } = await callOn(service, 'DELETE', `/${id}`);
    const after = await load.apply(order);
    console.log(
      `checks a second: ${before.perSecond.toFixed(0)}, beside a run ${beside.perSecond.toFixed(0)}, then ${after.perSecond.toFixed(0)} (${run.state}, ${run.progress.done} replayed)`,
    );
    shares.push((2 * beside.perSecond) / (before.perSecond + after.perSecond));
    before = after;
  }
  await load.stop();
  await service.stop();
  return [
    atLeast('decisions replayed a second of one core, under two bundles', perSecond, 20_000, 30_000),
    atMost(`memory at most / at a quarter of ${RECORDS.toLocaleString('en')}`, mostMb / warmMb, 1.25, 1.1),
    atLeast('checks a second beside a run / alone', median(shares), 0.9, 0.97),
  ];
}
