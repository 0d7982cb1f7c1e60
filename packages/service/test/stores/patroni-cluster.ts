/** Two PostgreSQL under Debian's Patroni with its etcd, in synchronous mode, each of which a test can power off. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../../scripts/free-port.ts';
import { debianPrograms } from '../../../store/test/debian-postgres.ts';
import { newServerFolder, onServer, serverUser } from '../postgres-process.ts';

const PASSWORD = 'test';
const DATABASE = 'writecheck';
/** A primary that is silent for this long is replaced. Patroni allows no less. */
const TTL_SECONDS = 20;
const READY_WITHIN_MS = 90_000;
/** The address of the members and their peers: nothing here leaves the machine. */
const HOST = '127.0.0.1';

/** Whether `patroni`, `etcd` and Debian's PostgreSQL are all installed. */
export const isPatroniInstalled = (): boolean =>
  debianPrograms() !== null &&
  ['patroni', 'etcd'].every((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);

interface Node {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly folder: string;
  patroni: ChildProcess | null;
}

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

export interface Cluster {
  /** The URL documented for operators: it names every host, and uses the one that accepts writes. */
  readonly url: string;
  /** Resolves with the name of the primary once it has a synchronous standby. */
  untilSynchronous(): Promise<string>;
  /** Resolves once Patroni has replaced it. */
  untilReplaced(name: string): Promise<void>;
  /** Kills Patroni and its PostgreSQL together, with every process: nothing is flushed, nobody is notified. */
  kill(name: string): Promise<void>;
  /** Kills only Patroni: its PostgreSQL does not know that it is no longer the primary. */
  killPatroni(name: string): Promise<void>;
  start(name: string): void;
  stop(): Promise<void>;
}

const startAs = (program: string, args: readonly string[], log: string): ChildProcess => {
  const output = openSync(log, 'a');
  const child = spawn(program, args, { ...serverUser(), stdio: ['ignore', output, output], cwd: '/' });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
};

const killProcess = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
};

/** The processes of a PostgreSQL, its first one before the others. */
const processesOf = (folder: string): readonly number[] => {
  const file = join(folder, 'postmaster.pid');
  if (!existsSync(file)) return [];
  const first = Number(readFileSync(file, 'utf8').split('\n')[0]);
  const parentOf = (pid: string): number => {
    try {
      return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    } catch {
      return 0;
    }
  };
  return [
    first,
    ...readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && parentOf(name) === first)
      .map(Number),
  ];
};

const killPostgres = (folder: string): void => {
  for (const pid of processesOf(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }
};

const configOf = ({ name, port, restPort, folder }: Node, etcdPort: number) => ({
  scope: 'writecheck',
  name,
  restapi: { listen: `${HOST}:${restPort}`, connect_address: `${HOST}:${restPort}` },
  etcd3: { host: `${HOST}:${etcdPort}` },
  bootstrap: {
    dcs: {
      ...{ ttl: TTL_SECONDS, loop_wait: 5, retry_timeout: 5 },
      synchronous_mode: true,
      postgresql: { use_pg_rewind: true },
    },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    pg_hba: [`host all all ${HOST}/32 scram-sha-256`, `host replication all ${HOST}/32 scram-sha-256`],
  },
  postgresql: {
    ...{ listen: `${HOST}:${port}`, connect_address: `${HOST}:${port}` },
    ...{ data_dir: join(folder, 'data'), bin_dir: debianPrograms()!, pgpass: join(folder, 'pgpass') },
    authentication: {
      superuser: { username: 'postgres', password: PASSWORD },
      replication: { username: 'replicator', password: PASSWORD },
      rewind: { username: 'rewinder', password: PASSWORD },
    },
    parameters: { unix_socket_directories: '' },
  },
});

export const startCluster = async (folder: string): Promise<Cluster> => {
  const etcdFolder = newServerFolder(folder, 'etcd');
  const [etcdPort, peerPort] = [await freePort(), await freePort()];
  const [client, peer] = [`http://${HOST}:${etcdPort}`, `http://${HOST}:${peerPort}`];
  const etcd = startAs(
    'etcd',
    [
      ...['--data-dir', join(etcdFolder, 'data'), '--name', 'etcd'],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
      ...['--initial-cluster', `etcd=${peer}`],
    ],
    join(folder, 'etcd.log'),
  );
  const nodes: Node[] = [];
  for (const name of ['one', 'two']) {
    const ports = { port: await freePort(), restPort: await freePort() };
    nodes.push({ name, ...ports, folder: newServerFolder(folder, name), patroni: null });
  }
  const start = (node: Node): void => {
    const file = join(folder, `${node.name}.yaml`);
    // JSON is YAML too.
    writeFileSync(file, JSON.stringify(configOf(node, etcdPort)));
    node.patroni = startAs('patroni', [file], join(folder, `${node.name}.log`));
  };
  const named = (name: string): Node => nodes.find((node) => node.name === name)!;
  const urlOf = (host: string, database: string): string =>
    `postgres://postgres:${PASSWORD}@${host}/${database}`;
  const members = async (): Promise<readonly Member[]> => {
    for (const { restPort } of nodes) {
      const found = await fetch(`http://${HOST}:${restPort}/cluster`).then(
        (response) => response.json() as Promise<{ readonly members: [] }>,
        () => null,
      );
      if (found !== null) return found.members;
    }
    return [];
  };
  const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
    for (const untilMs = performance.now() + READY_WITHIN_MS; !(await isSo()); await sleep(100)) {
      if (performance.now() > untilMs) throw new Error(`${what}: not in time; see the logs in ${folder}`);
    }
  };
  const leaderOf = (all: readonly Member[]): string | undefined =>
    all.find(({ role, state }) => role === 'leader' && state === 'running')?.name;
  const untilSynchronous = async (): Promise<string> => {
    let leader: string | undefined;
    await until('a primary with a synchronous standby', async () => {
      const all = await members();
      leader = leaderOf(all);
      if (leader === undefined || !all.some(({ role }) => role === 'sync_standby')) return false;
      // Patroni names the standby first, and then PostgreSQL waits for it.
      return onServer(urlOf(`${HOST}:${named(leader).port}`, 'postgres'), async (pg) => {
        const { rows } = await pg.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
        return rows.length === 1;
      }).catch(() => false);
    });
    return leader!;
  };

  start(nodes[0]!);
  start(nodes[1]!);
  const primary = named(await untilSynchronous());
  await onServer(urlOf(`${HOST}:${primary.port}`, 'postgres'), (pg) =>
    pg.query(`CREATE DATABASE ${DATABASE} TEMPLATE template0 ENCODING 'UTF8'`),
  );
  const hosts = nodes.map(({ port }) => `${HOST}:${port}`).join(',');
  return {
    url: `${urlOf(hosts, DATABASE)}?target_session_attrs=read-write`,
    untilSynchronous,
    untilReplaced: (name) =>
      until('another primary', async () => {
        const leader = leaderOf(await members());
        return leader !== undefined && leader !== name;
      }),
    async kill(name) {
      const node = named(name);
      node.patroni!.kill('SIGKILL');
      killPostgres(join(node.folder, 'data'));
      await killProcess(node.patroni!);
    },
    killPatroni: (name) => killProcess(named(name).patroni!),
    start: (name) => start(named(name)),
    async stop() {
      for (const { patroni, folder: own } of nodes) {
        await killProcess(patroni!);
        killPostgres(join(own, 'data'));
      }
      await killProcess(etcd);
    },
  };
};
