/** Starts a thread from the source in a checkout, and from the compiled file once it is built. */
import { Worker, type WorkerOptions } from 'node:worker_threads';

const IN_SOURCE = import.meta.url.endsWith('.ts');
const SAME_CONDITIONS: WorkerOptions = IN_SOURCE ? { execArgv: ['--conditions=writecheck-source'] } : {};

/** `name` is a file beside `from`, without its ending. */
export function newThread(name: string, from: string, options: WorkerOptions): Worker {
  return new Worker(new URL(`${name}${IN_SOURCE ? '.ts' : '.js'}`, from), { ...SAME_CONDITIONS, ...options });
}
