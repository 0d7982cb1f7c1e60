/** Sends jobs to the policy worker; each promise settles, after a timeout at the latest. */
import type { PolicyDocument } from '@writecheck/engine';
import type { ChangeCounts } from './count-changes.ts';
import type { Examined, ExamineRequest } from './examine-policies.ts';
import type { PolicyJob } from './policy-worker.ts';

const GIVE_UP_AFTER_MS = 15_000;

let worker: Worker | null = null;
let nextId = 1;
const waiting = new Map<number, (value: unknown) => void>();

/** Null if the worker timed out or failed; the service still checks the bundle. */
export function examine(request: ExamineRequest): Promise<Examined | null> {
  return run({ kind: 'examine', request }) as Promise<Examined | null>;
}

export function print(documents: readonly PolicyDocument[]): Promise<string | null> {
  return run({ kind: 'print', documents }) as Promise<string | null>;
}

/** The documents of a text; null if it cannot be read. */
export function read(text: string): Promise<readonly unknown[] | null> {
  return run({ kind: 'read', text }) as Promise<readonly unknown[] | null>;
}

export function count(
  before: readonly PolicyDocument[],
  after: readonly PolicyDocument[],
): Promise<ChangeCounts | null> {
  return run({ kind: 'count', before, after }) as Promise<ChangeCounts | null>;
}

type JobWithoutId<J = PolicyJob> = J extends PolicyJob ? Omit<J, 'id'> : never;

function run(job: JobWithoutId): Promise<unknown> {
  const id = nextId++;
  return new Promise((resolve) => {
    const timer = setTimeout(stop, GIVE_UP_AFTER_MS);
    waiting.set(id, (value) => {
      clearTimeout(timer);
      waiting.delete(id);
      resolve(value);
    });
    running().postMessage({ ...job, id });
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
