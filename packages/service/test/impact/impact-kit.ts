/** Impact runs over the wire: a service whose clock the test can move, and short ways to check, run and wait. */
import { afterAll, beforeAll, describe } from 'vitest';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { ask, type Reply } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
type Shown = any;

export interface ImpactKit {
  readonly service: TestService;
  /** The service's clock, in milliseconds; moved by the test. */
  nowMs: number;
  /** Every decision id so far, in order. */
  readonly decided: string[];
  call(method: string, path: string, json?: unknown, key?: string): Promise<Reply>;
  check(intent: object, key?: string): Promise<Reply>;
  apply(documents: readonly object[]): Promise<void>;
  /** Waits until the run has ended. */
  finished(id: string): Promise<Shown>;
  run(body: object): Promise<Shown>;
  /** The log entries of a kind. */
  entries(kind: string): Promise<readonly Shown[]>;
  close(): Promise<void>;
}

/** Starts at `nowMs`: the log's time never runs backwards, and creating the first live key is an entry. */
export async function openImpactKit(settings: object = {}, nowMs = Date.now()): Promise<ImpactKit> {
  const kit = { nowMs, decided: [] as string[] } as {
    -readonly [name in keyof ImpactKit]: ImpactKit[name];
  };
  const service = await startTestService({ clock: () => kit.nowMs, settings: { ...settings } });
  kit.service = service;
  kit.call = (method, path, json, key = service.ownerKey) =>
    ask(service.url + path, { method, key, ...(json === undefined ? {} : { json }) });
  kit.check = async (intent, key = service.liveKey) => {
    kit.nowMs += 1;
    const reply = await kit.call('POST', '/v1/check-write', intent, key);
    if (reply.status !== 200) throw new Error(reply.text);
    kit.decided.push(reply.body.decision_id);
    return reply;
  };
  kit.apply = async (documents) => {
    const reply = await kit.call('PUT', '/v1/policies?confirmLoosening=true', { documents });
    if (reply.status !== 200) throw new Error(reply.text);
  };
  kit.finished = async (id) => {
    for (;;) {
      const reply = await kit.call('GET', `/v1/policies/impact/${id}`);
      if (reply.body.run.state !== 'running') return reply.body;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  kit.run = async (body) => {
    const started = await kit.call('POST', '/v1/policies/impact', body);
    if (started.status !== 202) throw new Error(started.text);
    return kit.finished(started.body.run.id);
  };
  kit.entries = async (kind) => {
    const found: Shown[] = [];
    for (const { log } of await service.store.logs()) {
      for (const { entries } of await service.store.segments(log, 0, 10_000)) {
        for (const { leaf } of entries) {
          const entry = JSON.parse(Buffer.from(leaf).toString());
          if (entry.kind === kind) found.push(entry);
        }
      }
    }
    return found;
  };
  kit.close = () => service.stop();
  return kit;
}

/** Runs the tests on SQLite and on PostgreSQL. */
export function overBothStores(what: string, tests: (settings: () => object) => void): void {
  describe(`${what} on SQLite`, () => tests(() => ({})));
  // The store's own suite and the 10,000 operations on both stores compare PostgreSQL's results too, at night.
  describe(`${what} on PostgreSQL`, { tags: 'nightly' }, () => {
    let server: TestServer;
    let url = '';
    beforeAll(async () => {
      server = await startTestServer();
      url = await server.newDatabase();
    }, 60_000);
    afterAll(() => server.remove());
    tests(() => ({ databaseUrl: url }));
  });
}
