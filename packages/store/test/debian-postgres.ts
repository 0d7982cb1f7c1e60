/** Debian's PostgreSQL, which has what the one from npm lacks: base backups, dumps, and so a standby. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../scripts/free-port.ts';
import {
  initDatabase,
  killPostgres,
  newServerFolder,
  runProgram,
  startPostgres,
  superuserUrl,
} from '../../service/test/postgres-process.ts';

const ROOT = '/usr/lib/postgresql';

/** The folder of the newest version's programs; null if it is not installed. */
export const debianPrograms = (): string | null => {
  if (!existsSync(ROOT)) return null;
  const versions = readdirSync(ROOT).sort((a, b) => Number(b) - Number(a));
  const found = versions
    .map((version) => join(ROOT, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'pg_basebackup')));
  return found ?? null;
};

export interface DebianServer {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  kill(): Promise<void>;
}

const startDebianServer = async (folder: string, flags: readonly string[] = []): Promise<DebianServer> => {
  const port = await freePort();
  const child = await startPostgres(debianPrograms()!, folder, port, flags);
  return { url: superuserUrl(port), port, folder, kill: () => killPostgres(child) };
};

export const newDebianServer = (parent: string, flags: readonly string[] = []): Promise<DebianServer> => {
  const folder = newServerFolder(parent, 'primary');
  initDatabase(debianPrograms()!, folder);
  return startDebianServer(folder, flags);
};

/** A copy that follows its primary from now on. */
export const newStandby = (parent: string, primary: DebianServer): Promise<DebianServer> => {
  const folder = newServerFolder(parent, 'standby');
  const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres'];
  runProgram(debianPrograms()!, 'pg_basebackup', [
    ...from,
    ...['-D', folder, '-R', '-X', 'stream', '--checkpoint=fast'],
  ]);
  return startDebianServer(folder);
};
