/** Debian's PostgreSQL, which has what the one of npm lacks: base backups, dumps, and so a standby. */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort, onServer } from './test-postgres.ts';

const ROOT = '/usr/lib/postgresql';

/** The folder of its programs, of the newest version; null where it is not installed. */
export const debianPrograms = (): string | null => {
  if (!existsSync(ROOT)) return null;
  const versions = readdirSync(ROOT).sort((a, b) => Number(b) - Number(a));
  const found = versions
    .map((version) => join(ROOT, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'pg_basebackup')));
  return found ?? null;
};

/** A server never runs as root. */
const identity = (): { readonly uid?: number; readonly gid?: number } => {
  if (userInfo().uid !== 0) return {};
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
};

export const runProgram = (name: string, args: readonly string[]): string =>
  execFileSync(join(debianPrograms()!, name), args, {
    ...identity(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
  });

const ownFolder = (parent: string, name: string): string => {
  const folder = join(parent, name);
  mkdirSync(folder, { mode: 0o700 });
  const { uid, gid } = identity();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
};

export interface DebianServer {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  kill(): Promise<void>;
}

export const startDebianServer = async (
  folder: string,
  flags: readonly string[] = [],
): Promise<DebianServer> => {
  const port = await freePort();
  const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', ...flags];
  const child = spawn(join(debianPrograms()!, 'postgres'), ['-D', folder, '-p', String(port), ...settings], {
    ...{ ...identity(), stdio: 'ignore', cwd: '/' },
  });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  for (let tries = 0; ; tries += 1) {
    try {
      await onServer(url, (client) => client.query('SELECT 1'));
      break;
    } catch (error) {
      if (tries === 300 || child.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return {
    ...{ url, port, folder },
    async kill() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
};

export const newDebianServer = (parent: string, flags: readonly string[] = []): Promise<DebianServer> => {
  const folder = ownFolder(parent, 'primary');
  runProgram('initdb', ['-D', folder, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-sync']);
  return startDebianServer(folder, flags);
};

/** A copy that follows its primary from now on. */
export const newStandby = (parent: string, primary: DebianServer): Promise<DebianServer> => {
  const folder = ownFolder(parent, 'standby');
  const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres'];
  runProgram('pg_basebackup', [...from, '-D', folder, '-R', '-X', 'stream', '--checkpoint=fast']);
  return startDebianServer(folder);
};
