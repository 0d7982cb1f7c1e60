/** Starts and kills a PostgreSQL of our own from a folder of its programs, also when the tests run as root. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

const STARTS_WITHIN_MS = 30_000;
const PASSWORD = 'test';

/** PostgreSQL refuses to run as root; every system has this user instead. */
const NOT_ROOT = 'nobody';

/** The user that the server runs as: root's stand-in, or the user who runs the tests. */
export const serverUser = (): { readonly uid?: number; readonly gid?: number } => {
  if (userInfo().uid !== 0) return {};
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, NOT_ROOT], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
};

/** False in a folder that only root may enter, such as one made by `mktemp -d`. */
export const serverCanEnter = (folder: string): boolean =>
  spawnSync('test', ['-x', folder], { ...serverUser(), cwd: '/' }).status === 0;

export const onServer = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Connects a superuser to the server's own database. */
export const superuserUrl = (port: number): string =>
  `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;

export const runProgram = (programs: string, name: string, args: readonly string[]): string =>
  execFileSync(join(programs, name), args, {
    ...serverUser(),
    env: { ...process.env, PGPASSWORD: PASSWORD },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
  });

/** A folder that the server owns, inside one that it can enter. */
export const newServerFolder = (parent: string, name: string): string => {
  if (!serverCanEnter(parent))
    throw new Error(
      `PostgreSQL does not run as root, and \`${NOT_ROOT}\` cannot enter ${parent}: run this as another user, or from a folder that others may enter`,
    );
  const folder = join(parent, name);
  mkdirSync(folder, { mode: 0o700 });
  const { uid, gid } = serverUser();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
};

export const initDatabase = (programs: string, folder: string): void => {
  const passwordFile = `${folder}.password`;
  writeFileSync(passwordFile, `${PASSWORD}\n`);
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  runProgram(programs, 'initdb', [
    '-D',
    folder,
    ...access,
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ]);
  rmSync(passwordFile);
};

export const startPostgres = async (
  programs: string,
  folder: string,
  port: number,
  flags: readonly string[],
): Promise<ChildProcess> => {
  const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', ...flags];
  const spawnServer = (): ChildProcess => {
    const child = spawn(join(programs, 'postgres'), ['-D', folder, '-p', String(port), ...settings], {
      ...serverUser(),
      stdio: 'ignore',
      cwd: '/',
    });
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    return child;
  };
  let child = spawnServer();
  await untilAnswering(async () => {
    // After a kill it refuses to start until its old processes are gone.
    if (child.exitCode !== null) child = spawnServer();
    await onServer(superuserUrl(port), (client) => client.query('SELECT 1'));
  });
  return child;
};

/** Retries while a server starts. */
export const untilAnswering = async <T>(work: () => Promise<T>): Promise<T> => {
  for (const untilMs = performance.now() + STARTS_WITHIN_MS; ; ) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > untilMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
};

/**
 * Stops it as a power cut would by default: nothing is flushed, nobody is notified. `SIGQUIT` flushes nothing either,
 * but leaves no shared memory behind.
 */
export const killPostgres = async (
  child: ChildProcess,
  signal: 'SIGKILL' | 'SIGQUIT' = 'SIGKILL',
): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
};
