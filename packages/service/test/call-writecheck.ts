/**
 * Calls a command of `writecheck` in a thread that stays and loads the program once, unlike a process for each
 * call. For what differs in a separate process, such as signals and pipes, see `spawn-service.ts`; at night
 * every command runs in one.
 */
import { Worker } from 'node:worker_threads';
import { type Finished, runWritecheck } from './spawn-service.ts';
import { WRITECHECK } from './writecheck-program.ts';

export interface Call {
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly input: string;
}

export type Said =
  | { readonly kind: 'stdout' | 'stderr'; readonly text: string }
  | { readonly kind: 'done'; readonly code: number };

const [PROGRAM = ''] = WRITECHECK;
const IN_PROCESSES =
  process.env.npm_lifecycle_event === 'nightly' || process.env.WRITECHECK_TEST_PROGRAM === undefined;

/** Threads that wait for a command. */
const idle: Worker[] = [];

function takeThread(): Worker {
  // A command may have ended its thread after it was done.
  const alive = idle.splice(0).filter(isAlive);
  const thread = alive.pop();
  idle.push(...alive);
  return thread ?? new Worker(new URL('./command-thread.ts', import.meta.url), { argv: [PROGRAM] });
}

function isAlive({ threadId }: Worker): boolean {
  return threadId !== -1;
}

export async function callWritecheck(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  input = '',
): Promise<Finished> {
  if (IN_PROCESSES) return runWritecheck(args, environment, input);
  const thread = takeThread();
  const said = { stdout: '', stderr: '' };
  const ended = Promise.withResolvers<number>();
  const hear = (message: Said): void => {
    if (message.kind === 'done') ended.resolve(message.code);
    else said[message.kind] += message.text;
  };
  thread.ref();
  thread.on('message', hear).once('exit', ended.resolve).once('error', ended.reject);
  const call: Call = {
    args,
    environment: { PATH: process.env.PATH, NO_COLOR: '1', ...environment },
    input,
  };
  thread.postMessage(call);
  const code = await ended.promise;
  thread.off('message', hear).off('exit', ended.resolve).off('error', ended.reject);
  thread.unref();
  if (isAlive(thread)) idle.push(thread);
  return { code, ...said };
}
