/** Reads rows from SQLite files, opened read-only, in processes that are killed when their time is over. */
import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atExit } from './at-exit.ts';
import { FactsUnavailable } from './failures.ts';
import { READ_MS_MAX } from './limits.ts';
import { statementText } from './sql-statement.ts';
import type { SqliteJob, SqliteReply } from './sqlite-child.ts';
import type { SqlReader } from './table.ts';

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
  readonly #forget = atExit(() => this.close());

  readerOf(file: string): SqlReader {
    return {
      read: async (statement, values, rowsToFetch) => {
        const child = this.#idle.pop() ?? (await this.#start());
        hold(child, true);
        child.send({
          file,
          text: statementText(statement, () => '?'),
          values,
          rowsToFetch,
        } satisfies SqliteJob);
        const reply = await nextMessage(child, READ_MS_MAX);
        if (reply === null || reply.kind === 'ready') {
          child.kill('SIGKILL');
          throw new FactsUnavailable(`it took longer than ${READ_MS_MAX} ms, or its process ended`);
        }
        this.#rest(child);
        if (reply.kind === 'failed') throw new FactsUnavailable(reply.why);
        return reply;
      },
    };
  }

  /** Starts a process before the first read needs it. */
  async warm(): Promise<void> {
    const child = await this.#start().catch(() => null);
    if (child !== null) this.#rest(child);
  }

  close(): void {
    this.#isClosed = true;
    this.#forget();
    for (const child of this.#all) child.kill('SIGKILL');
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(CHILD, { execArgv: [], env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.#all.add(child);
    child.on('error', () => undefined);
    child.on('exit', () => {
      this.#all.delete(child);
      const place = this.#idle.indexOf(child);
      if (place !== -1) this.#idle.splice(place, 1);
    });
    if ((await nextMessage(child, START_MS_MAX))?.kind === 'ready') return child;
    child.kill('SIGKILL');
    throw new FactsUnavailable('the process that reads SQLite files did not start');
  }

  #rest(child: ChildProcess): void {
    if (this.#isClosed || this.#idle.length >= IDLE_MAX) return void child.kill('SIGKILL');
    // An idle process must not keep the program running.
    hold(child, false);
    this.#idle.push(child);
  }
}

function hold(child: ChildProcess, isHeld: boolean): void {
  if (isHeld) child.ref();
  else child.unref();
  if (isHeld) child.channel?.ref();
  else child.channel?.unref();
}

/** Null if the child ends, or is late. */
function nextMessage(child: ChildProcess, timeoutMs: number): Promise<SqliteReply | null> {
  return new Promise((resolve) => {
    const end = (reply: SqliteReply | null): void => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      child.off('error', onExit);
      resolve(reply);
    };
    const onMessage = (reply: unknown): void => end(reply as SqliteReply);
    const onExit = (): void => end(null);
    const timer = setTimeout(onExit, timeoutMs);
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.on('error', onExit);
  });
}
