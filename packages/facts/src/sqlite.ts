/** Reads rows from SQLite files, opened read-only, in processes that are killed when their time is over. */
import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FactsUnavailable, LATE, READ_MS_MAX } from './failures.ts';
import { type SqlReader, statementText } from './sql.ts';
import type { SqliteJob, SqliteReply } from './sqlite-child.ts';

/** The same file beside this one, compiled or not. */
const CHILD = fileURLToPath(
  new URL(`./sqlite-child${extname(fileURLToPath(import.meta.url))}`, import.meta.url),
);
const IDLE_MAX = 4;
/** How long a process may take to start; that is no part of the read. */
const START_MS_MAX = 10_000;

/** The processes, for all files. */
export class SqliteProcesses {
  readonly #all = new Set<ChildProcess>();
  readonly #idle: ChildProcess[] = [];
  #isClosed = false;
  /** A process in the middle of a query does not notice that its parent has ended. */
  readonly #onExit = (): void => this.close();

  constructor() {
    process.on('exit', this.#onExit);
  }

  readerOf(file: string): SqlReader {
    return {
      read: async (statement, values, rowsToFetch) => {
        const child = this.#idle.pop() ?? (await this.#start());
        child.ref();
        child.channel?.ref();
        const text = statementText(statement, () => '?');
        child.send({ file, text, values, rowsToFetch } satisfies SqliteJob);
        const reply = await nextMessage(child, READ_MS_MAX);
        if (reply === null || reply === 'ready') {
          child.kill('SIGKILL');
          throw new FactsUnavailable(`${LATE}, or its process ended`);
        }
        this.#rest(child);
        if ('why' in reply) throw new FactsUnavailable(reply.why);
        return reply;
      },
    };
  }

  close(): void {
    this.#isClosed = true;
    process.off('exit', this.#onExit);
    for (const child of this.#all) child.kill('SIGKILL');
  }

  async #start(): Promise<ChildProcess> {
    // It inherits nothing: no secret of the reader.
    const child = fork(CHILD, { execArgv: [], env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.#all.add(child);
    child.on('error', () => undefined);
    child.on('exit', () => {
      this.#all.delete(child);
      const place = this.#idle.indexOf(child);
      if (place !== -1) this.#idle.splice(place, 1);
    });
    if ((await nextMessage(child, START_MS_MAX)) === 'ready') return child;
    child.kill('SIGKILL');
    throw new FactsUnavailable('the process that reads SQLite files did not start');
  }

  #rest(child: ChildProcess): void {
    if (this.#isClosed || this.#idle.length >= IDLE_MAX) return void child.kill('SIGKILL');
    // An idle process must not keep the program running.
    child.unref();
    child.channel?.unref();
    this.#idle.push(child);
  }
}

/** Null if the child ends, or is late. */
function nextMessage(child: ChildProcess, timeoutMs: number): Promise<SqliteReply | null> {
  return new Promise((resolve) => {
    const end = (reply: SqliteReply | null): void => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onEnd).off('error', onEnd);
      resolve(reply);
    };
    const onMessage = (reply: unknown): void => end(reply as SqliteReply);
    const onEnd = (): void => end(null);
    const timer = setTimeout(onEnd, timeoutMs);
    child.on('message', onMessage).on('exit', onEnd).on('error', onEnd);
  });
}
