/** The processes of the benchmarks: the service as a user starts it, the echo server and the load. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { LoadOrder, LoadResult } from './service-load.ts';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const EXEC = ['--conditions=writecheck-source'];

export interface Target {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Cleans up processes and files, even if a benchmark fails half-way. */
export function endWithBench(child: ChildProcess, data?: string): void {
  const stop = (): void => {
    child.kill('SIGKILL');
    if (data !== undefined) rmSync(data, { recursive: true, force: true });
  };
  process.once('exit', stop);
  child.once('exit', () => process.off('exit', stop));
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** `isDurable`: it answers once the body is on the disk. */
export async function startEcho(answer: string, isDurable = false): Promise<Target> {
  const data = newFolder();
  const env = {
    ...process.env,
    ECHO_ANSWER: Buffer.from(answer).toString('base64'),
    ...(isDurable ? { ECHO_FILE: `${data}/bodies` } : {}),
  };
  const child = fork(here('service-echo.ts'), { env, execArgv: EXEC });
  endWithBench(child, data);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    port,
    pid: child.pid!,
    async stop() {
      await end(child);
      rmSync(data, { recursive: true, force: true });
    },
  };
}

export interface Service extends Target {
  /** Empty if the store existed before. */
  readonly ownerKey: string;
  /** From process start until it prints its address. */
  readonly startMs: number;
}

/** On disk, next to this file, because in memory every sync would be free. */
export function newFolder(): string {
  return mkdtempSync(here('../.data-'));
}

export async function startService(environment: Record<string, string> = {}): Promise<Service> {
  const data = newFolder();
  const startedAt = performance.now();
  const cli = here('../../packages/cli/src/writecheck.ts');
  const env = {
    // One worker on any machine, so that figures can be compared.
    WRITECHECK_WORKERS: '1',
    ...process.env,
    // Same as `npm start`.
    NODE_COMPILE_CACHE: here('../../node_modules/.cache/writecheck'),
    WRITECHECK_DATA: data,
    WRITECHECK_PORT: '0',
    WRITECHECK_LOG_LEVEL: 'error',
  };
  const profile = process.env.BENCH_PROFILE;
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const child = spawn(process.execPath, [...EXEC, ...profiling, cli, 'serve'], {
    env: { ...env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithBench(child, data);
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    const listens = /listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(text);
    if (listens === null) continue;
    return {
      port: Number(listens[1]),
      pid: child.pid!,
      ownerKey: ownerKeyOf(text),
      startMs: performance.now() - startedAt,
      async stop() {
        await end(child);
        rmSync(data, { recursive: true, force: true });
      },
    };
  }
  throw new Error(`the service did not start: ${text}`);
}

/** From the file that the first start names; a later start names none. */
function ownerKeyOf(text: string): string {
  const file = /owner key +written to (.+)$/m.exec(text)?.[1];
  return file === undefined ? '' : readFileSync(file, 'utf8').trim();
}

/** What a process holds in memory, or held at most. */
export function memoryMb(pid: number, which: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${which}:\\s+(\\d+) kB`, 'm').exec(status)![1]) / 1_024;
}

const TICK_US = 10_000;

/** CPU time of all threads; on a busy machine it is more reliable than the clock. */
export function processorUs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

/** `json` makes it a POST, unless another method is given. */
export async function call(
  { port }: Target,
  path: string,
  key: string,
  json?: object,
  method = json === undefined ? 'GET' : 'POST',
  // biome-ignore lint/suspicious/noExplicitAny: the bench reads what the service says.
): Promise<any> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** CPU time of the threads of a process whose name begins like this; Linux counts it in nanoseconds. */
export function threadUs(pid: number, name: string): number {
  let us = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const at = `/proc/${pid}/task/${task}`;
    if (!readFileSync(`${at}/comm`, 'utf8').startsWith(name)) continue;
    us += Number(readFileSync(`${at}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
  }
  return us;
}

export async function makeLiveKey(service: Service): Promise<string> {
  return (await call(service, '/v1/keys', service.ownerKey, { kind: 'live', name: 'bench' })).secret;
}

/** The same service, with the key of another workspace. */
export async function newWorkspace(service: Service): Promise<Service> {
  const response = await fetch(`http://127.0.0.1:${service.port}/v1/workspaces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench' }),
  });
  const { ownerKey } = (await response.json()) as { readonly ownerKey: string };
  return { ...service, ownerKey };
}

export interface Load {
  readonly pid: number;
  apply(order: LoadOrder): Promise<LoadResult>;
  stop(): Promise<void>;
}

/** The CPU time of one check: other programs on the machine affect clock time much more. */
export async function costUs(
  { port, pid }: Target,
  load: Load,
  order: Omit<LoadOrder, 'port'>,
): Promise<number> {
  const before = processorUs(pid);
  const { answersInAll } = await load.apply({ ...order, port });
  return (processorUs(pid) - before) / answersInAll;
}

/** One process for all rounds, so that it warms up only once. */
export async function startLoad(): Promise<Load> {
  const child = fork(here('service-load.ts'), { execArgv: EXEC });
  endWithBench(child);
  await once(child, 'spawn');
  return {
    pid: child.pid!,
    async apply(order) {
      child.send(order);
      const [reply] = (await once(child, 'message')) as [
        { kind: 'result'; result: LoadResult } | { kind: 'failed'; message: string },
      ];
      if (reply.kind === 'failed') throw new Error(reply.message);
      return reply.result;
    },
    stop: () => end(child),
  };
}
