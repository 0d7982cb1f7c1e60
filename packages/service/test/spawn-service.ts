/** Runs `writecheck` as a user would: as a separate process, through flags, signals and HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WRITECHECK } from './writecheck-program.ts';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Spawned {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly finished: Promise<Finished>;
  /** Resolves with the address once it listens; rejects if it ends before. */
  readonly listening: Promise<string>;
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'writecheck-spawn-'));
}

export function spawnWritecheck(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  input?: string,
  uid?: number,
): Spawned {
  const child = spawn(process.execPath, [...WRITECHECK, ...args], {
    env: {
      PATH: process.env.PATH,
      NO_COLOR: '1',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...environment,
    },
    cwd: tmpdir(),
    ...(uid === undefined ? {} : { uid }),
  });
  child.stdin.end(input ?? '');
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const finished = new Promise<Finished>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.on('error', (error) => resolve({ code: null, stdout, stderr: `${stderr}${error.message}` }));
  });
  const listening = new Promise<string>((resolve, reject) => {
    const look = setInterval(() => {
      const url = /listens on (\S+)/.exec(stdout)?.[1];
      if (url === undefined) return;
      clearInterval(look);
      resolve(url);
    }, 10);
    void finished.then(() => {
      clearInterval(look);
      reject(new Error(`it ended: ${stderr}`));
    });
  });
  listening.catch(() => {});
  return { child, stdout: () => stdout, stderr: () => stderr, finished, listening };
}

/** The first owner key, from the file that a first start without a terminal names. */
export function ownerKeyOf(stdout: string): string {
  const file = /owner key +written to (.+)$/m.exec(stdout)?.[1];
  if (file === undefined) throw new Error(`no file with an owner key is named: ${stdout}`);
  return readFileSync(file, 'utf8').trim();
}

export function runWritecheck(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  input?: string,
): Promise<Finished> {
  return spawnWritecheck(args, environment, input).finished;
}
