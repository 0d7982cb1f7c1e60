/** Freezes, checks and redemptions over HTTP on both stores: on PostgreSQL by two replicas. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onServer, startTestServer } from '../../../store/test/test-postgres.ts';
import { ALLOWED, ask, type Reply } from '../ask.ts';
import { ownerKeyOf, type Spawned, spawnWritecheck, temporaryFolder } from '../spawn-service.ts';
import { startTestService, type TestService } from '../start-service.ts';

export interface Stoppable {
  readonly services: readonly TestService[];
  readonly ownerKey: string;
  readonly liveKey: string;
  readonly workspace: string;
  /** Runs SQL on the database, as a program of another version would. */
  runSql(sqlite: string, postgres: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startOn(store: 'SQLite' | 'PostgreSQL'): Promise<Stoppable> {
  const server = store === 'SQLite' ? null : await startTestServer();
  const databaseUrl = await server?.newDatabase();
  const settings = databaseUrl === undefined ? {} : { databaseUrl };
  const first = await startTestService({ settings });
  const services = server === null ? [first] : [first, await startTestService({ settings })];
  const { ownerKey, liveKey, workspace } = first;
  return {
    services,
    ownerKey,
    liveKey,
    workspace,
    async runSql(sqlite, postgres) {
      if (databaseUrl !== undefined) {
        await onServer(databaseUrl, (client) => client.query(postgres));
        return;
      }
      const db = new Database(join(first.folder, 'writecheck.db'));
      try {
        db.exec(sqlite);
      } finally {
        db.close();
      }
    },
    async stop() {
      for (const service of services) await service.stop();
      await server?.remove();
    },
  };
}

/** What a race needs: addresses that serve one workspace, and its keys. */
export interface Racing {
  readonly services: readonly Pick<TestService, 'url'>[];
  readonly ownerKey: string;
  readonly liveKey: string;
  stop(): Promise<void>;
}

/** Eight deciding threads: of one process on SQLite, of two on PostgreSQL. */
export async function startThreadsOn(store: 'SQLite' | 'PostgreSQL'): Promise<Racing> {
  const server = store === 'SQLite' ? null : await startTestServer();
  const databaseUrl = await server?.newDatabase();
  const environment = databaseUrl === undefined ? {} : { WRITECHECK_DATABASE_URL: databaseUrl };
  const threads = server === null ? ['8'] : ['4', '4'];
  const started: { readonly url: string; readonly folder: string; readonly spawned: Spawned }[] = [];
  for (const workers of threads) {
    const folder = temporaryFolder();
    const flags = ['--data', folder, '--port', '0', '--workers', workers, '--log-level', 'error'];
    const spawned = spawnWritecheck(['serve', ...flags], environment);
    started.push({ url: await spawned.listening, folder, spawned });
  }
  const [first] = started;
  const ownerKey = ownerKeyOf(first!.spawned.stdout());
  const made = await ask(`${first!.url}/v1/keys`, { key: ownerKey, json: { kind: 'live', name: 'race' } });
  return {
    services: started,
    ownerKey,
    liveKey: made.body.secret,
    async stop() {
      for (const { spawned, folder } of started) {
        spawned.child.kill();
        await spawned.finished;
        rmSync(folder, { recursive: true, force: true });
      }
      await server?.remove();
    },
  };
}

type Headers = { readonly [name: string]: string };

export const WRITE = { ...ALLOWED, workflowId: 'w' };

export function calls({ services, ownerKey, liveKey }: Pick<Racing, 'services' | 'ownerKey' | 'liveKey'>) {
  let next = 0;
  /** Every call goes to another replica. */
  const url = (): string => services[next++ % services.length]!.url;
  return {
    freeze: (json: object = { reason: 'stop' }, headers: Headers = {}, key = ownerKey): Promise<Reply> =>
      ask(`${url()}/v1/freezes`, { key, json, headers }),
    lift: (id: string, key = ownerKey): Promise<Reply> =>
      ask(`${url()}/v1/freezes/${id}/lift`, { key, json: { reason: 'it is over' } }),
    get: (path: string, key = ownerKey): Promise<Reply> => ask(`${url()}${path}`, { key }),
    check: (intent: object = WRITE, headers: Headers = {}, key = liveKey): Promise<Reply> =>
      ask(`${url()}/v1/check-write`, { key, json: intent, headers }),
    redeem: (decided: Reply, headers: Headers = {}): Promise<Reply> =>
      ask(`${url()}/v1/decisions/${decided.body.decision_id}/redeem`, {
        key: liveKey,
        headers,
        json: { intentDigest: decided.body.intentDigest },
      }),
  };
}
