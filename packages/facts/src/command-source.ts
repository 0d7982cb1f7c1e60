/** A source that is a command: the intent on its standard input, a JSON object on its standard output. */
import { type ChildProcess, spawn } from 'node:child_process';
import { childEnvironment } from '@writecheck/contract/command';
import { atExit } from './at-exit.ts';
import { FactsUnavailable } from './failures.ts';
import { recordOf } from './json-record.ts';
import { READ_MS_MAX, SOURCE_BYTES_MAX } from './limits.ts';
import type { Source } from './source.ts';

export interface CommandSettings {
  readonly argv: readonly string[];
  /** The working folder, where relative paths start. */
  readonly folder: string;
  /** The environment without the reader's own secrets. */
  readonly env: NodeJS.ProcessEnv;
  readonly key: string;
}

export function commandSource(settings: CommandSettings): Source {
  const running = new Set<ChildProcess>();
  const end = (): void => running.forEach(killGroup);
  // A separate process group gets no signal from the terminal or the supervisor of the reader.
  const forget = atExit(end);
  return {
    prepare: (seen) => async () =>
      recordOf(
        await outputOf(settings, JSON.stringify(seen), running),
        { pick: '', key: settings.key },
        seen.objectRef,
      ),
    async close() {
      forget();
      end();
    },
  };
}

function outputOf(
  { argv: [command, ...args], folder, env }: CommandSettings,
  input: string,
  running: Set<ChildProcess>,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    // Its own process group, so that everything it started ends with it and holds no pipe open. Its stderr may
    // contain values, so it does not get into the log.
    const child = spawn(command!, args, {
      cwd: folder,
      env: childEnvironment(env),
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    running.add(child);
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (why: string): void => {
      clearTimeout(timer);
      running.delete(child);
      killGroup(child);
      child.stdout.destroy();
      reject(new FactsUnavailable(why));
    };
    const timer = setTimeout(fail, READ_MS_MAX, `its command took longer than ${READ_MS_MAX} ms`);
    child.on('error', () => fail('its command cannot be started'));
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > SOURCE_BYTES_MAX) fail(`its command returned over ${SOURCE_BYTES_MAX} bytes`);
      else chunks.push(chunk);
    });
    child.on('close', (code) => {
      if (code !== 0) return fail(`its command ended with ${code ?? 'a signal'}`);
      clearTimeout(timer);
      running.delete(child);
      resolve(Buffer.concat(chunks));
    });
    // A command does not have to read its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has already ended, or this platform has no process groups.
    child.kill('SIGKILL');
  }
}
