/** Sends jobs to the policy worker; each promise settles, after a timeout at the latest. */
import type { PolicyDocument } from '@writecheck/engine';
import type { ExamineRequest } from './examine-policies.ts';
import type { Jobs } from './policy-worker.ts';

const GIVE_UP_AFTER_MS = 15_000;

let worker: Worker | null = null;
let nextId = 1;
const waiting = new Map<number, (value: unknown) => void>();

export function examine(request: ExamineRequest) {
  return run('examine', request);
}

export function print(documents: readonly PolicyDocument[]) {
  return run('print', documents);
}

/** The documents of a text; null if it cannot be read. */
export function read(text: string) {
  return run('read', text);
}

export function count(before: readonly PolicyDocument[], after: readonly PolicyDocument[]) {
  return run('count', before, after);
}

type Result<Name extends keyof Jobs> = Awaited<ReturnType<Jobs[Name]>> | null;

/** Null if the worker timed out or failed; the service still checks the bundle. */
function run<Name extends keyof Jobs>(job: Name, ...given: Parameters<Jobs[Name]>): Promise<Result<Name>> {
  const id = nextId++;
  return new Promise((resolve) => {
    const timer = setTimeout(stop, GIVE_UP_AFTER_MS);
    waiting.set(id, (value) => {
      clearTimeout(timer);
      waiting.delete(id);
      resolve(value as Result<Name>);
    });
    running().postMessage({ id, job, given });
  });
}

function running(): Worker {
  if (worker !== null) return worker;
  worker = new Worker(new URL('./policy-worker.ts', import.meta.url), { type: 'module' });
  worker.addEventListener('message', ({ data }: MessageEvent<{ id: number; value: unknown }>) =>
    waiting.get(data.id)?.(data.value),
  );
  worker.addEventListener('error', stop);
  return worker;
}

function stop(): void {
  worker?.terminate();
  worker = null;
  for (const settle of [...waiting.values()]) settle(null);
}
