/** Impact runs over the wire: a service whose clock the test can move, and short ways to check and run. */
import type { ImpactLine, ImpactReport } from '@writecheck/api';
import { afterAll, beforeAll, describe } from 'vitest';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { ask, type Reply } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

/** The lines of a run. */
interface Run {
  readonly progress: readonly { readonly done: number; readonly total: number }[];
  readonly report: ImpactReport;
}

export function runIn(text: string): Run {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ImpactLine);
  const { report, ...last } = lines.pop()!;
  if (report === undefined) throw new Error(JSON.stringify(last));
  return { progress: lines.map(({ progress }) => progress!), report };
}

export interface ImpactKit {
  readonly service: TestService;
  /** The service's clock, in milliseconds; moved by the test. */
  nowMs: number;
  /** Every decision id so far, in order. */
  readonly decided: string[];
  call(method: string, path: string, json?: unknown, key?: string): Promise<Reply>;
  check(intent: object, key?: string): Promise<Reply>;
  apply(documents: readonly object[]): Promise<void>;
  run(body: object): Promise<Run>;
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
  kit.run = async (body) => {
    const reply = await kit.call('POST', '/v1/policies/impact', body);
    if (reply.status !== 200) throw new Error(reply.text);
    return runIn(reply.text);
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
