/** Runs commands of the bundled `writecheck` in turn, as if each had its own process: see `call-writecheck.ts`. */
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';
import type { Call, Said } from './call-writecheck.ts';

const port = parentPort!;
const program = process.argv[2]!;
const { run } = await import(new URL('./program.js', pathToFileURL(program)).href);

const say = (said: Said): void => port.postMessage(said);

// A command may end the thread; its output has been sent by then.
for (const kind of ['stdout', 'stderr'] as const) {
  process[kind].write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    say({ kind, text: typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString() });
    for (const done of rest) if (typeof done === 'function') queueMicrotask(() => done());
    return true;
  };
}

port.on('message', async ({ args, environment, input }: Call) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) process.env[name] = value;
  process.argv = [process.execPath, program, ...args];
  process.exitCode = undefined;
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  try {
    await run(process.argv);
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.stack : thrown}\n`);
    process.exitCode = 1;
  }
  say({ kind: 'done', code: Number(process.exitCode ?? 0) });
});
