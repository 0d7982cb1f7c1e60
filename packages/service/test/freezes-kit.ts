/** Freezes, checks and redemptions over HTTP on both stores: on PostgreSQL by two replicas. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onServer, startTestServer } from '../../store/test/test-postgres.ts';
import { ALLOWED, ask, type Reply } from './ask.ts';
import { startTestService, type TestService } from './start-service.ts';

export interface Stoppable {
  readonly services: readonly TestService[];
  readonly ownerKey: string;
  readonly liveKey: string;
  readonly workspace: string;
  /** Straight to the database, as a program of another version would. */
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

type Headers = { readonly [name: string]: string };

export const WRITE = { ...ALLOWED, workflowId: 'w' };

export function calls({ services, ownerKey, liveKey }: Pick<Stoppable, 'services' | 'ownerKey' | 'liveKey'>) {
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
