/** `npm run bench -- impact`: how fast a run replays, how much memory it takes, and how much it slows checks. */
import { readdirSync, readFileSync } from 'node:fs';
import type { ImpactLine } from '@writecheck/api';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { fillStore } from './fill-log.ts';
import { atLeast, atMost, median, type Row } from './report.ts';
import { benchBody, prepare } from './service.ts';
import { memoryMb, newFolder, type Service, startLoad, startService } from './service-processes.ts';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 2_000_000);
/** Many rounds, each between two without a run, because on a busy machine speed changes within seconds. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
/** From here on a run has allocated everything that it keeps for long. */
const WARM_SHARE = 0.25;
const WARM_RECORDS = 10_000;
/** In `/proc/PID/stat`, after the name. */
const NICE_FIELD = 16;

/** Calls `seen` with the decisions replayed so far, and returns how many there were. */
async function follow(
  service: Service,
  seen: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${service.port}/v1/policies/impact`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.ownerKey}`, 'content-type': 'application/json' },
    body: '{"current":true,"from":"2000-01-01T00:00:00Z"}',
    ...(signal && { signal }),
  });
  let rest = '';
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    const lines = `${rest}${part}`.split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const { progress, report, error } = JSON.parse(line) as ImpactLine;
      if (report !== undefined) return report.coverage.replayed;
      if (error !== undefined) throw new Error(error.message);
      seen(progress!.done, progress!.total);
    }
  }
  throw new Error(`the run ended early: ${rest}`);
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

async function replay(service: Service) {
  const [startedUs, startedMs] = [replayUs(service.pid), performance.now()];
  let ranUs = 0;
  const mb: { readonly share: number; readonly mb: number }[] = [];
  const decisions = await follow(service, (done, total) => {
    mb.push({ share: done / Math.max(1, total), mb: memoryMb(service.pid) });
    // The thread ends with its run, so the last reading before that counts.
    ranUs = Math.max(ranUs, replayUs(service.pid) - startedUs);
  });
  const warm = mb.filter(({ share }) => share >= WARM_SHARE).map((one) => one.mb);
  return {
    /** By processor time, because the machine may have other work. */
    perCoreSecond: (decisions / ranUs) * 1_000_000,
    perSecond: (decisions / (performance.now() - startedMs)) * 1_000,
    warmMb: warm[0]!,
    mostMb: Math.max(...warm),
  };
}

/**
 * Resolves once the run is warm. Before that V8 compiles its code in threads of normal priority: a second or so of
 * processor time, once, while a run of two million takes minutes.
 */
function startReplaying(service: Service): Promise<() => void> {
  const leaving = new AbortController();
  return new Promise((resolve, reject) => {
    const seen = (done: number) => {
      if (done >= WARM_RECORDS) resolve(() => leaving.abort());
    };
    follow(service, seen, leaving.signal).then(
      () => reject(new Error('the run ended before it was measured; set BENCH_RECORDS higher')),
      reject,
    );
  });
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
  const { perCoreSecond, perSecond, warmMb, mostMb } = await replay(service);
  console.log(
    `${Math.round(perSecond)} a second, ${warmMb.toFixed(0)} MB early, ${mostMb.toFixed(0)} MB at most`,
  );

  const load = await startLoad();
  const order = { port: service.port, request, connections: 64, warmUpMs: 500, measureMs: 2_000 };
  const shares: number[] = [];
  let before = await load.apply(order);
  for (let round = 0; round < ROUNDS; round += 1) {
    const leave = await startReplaying(service);
    const beside = await load.apply(order);
    leave();
    const after = await load.apply(order);
    console.log(
      `checks a second: ${before.perSecond.toFixed(0)}, beside a run ${beside.perSecond.toFixed(0)}, then ${after.perSecond.toFixed(0)}`,
    );
    shares.push((2 * beside.perSecond) / (before.perSecond + after.perSecond));
    before = after;
  }
  await load.stop();
  await service.stop();
  return [
    atLeast('decisions replayed a second of one core, under two bundles', perCoreSecond, 20_000, 30_000),
    atLeast('decisions replayed a second / checks a second over HTTP', perSecond / before.perSecond, 2, 4),
    atMost(`memory at most / at a quarter of ${RECORDS.toLocaleString('en')}`, mostMb / warmMb, 1.25, 1.1),
    atLeast('checks a second beside a run / alone', median(shares), 0.9, 0.97),
  ];
}
