/** Limits after `writecheck audit restore`: the draws of the lost part are lost, so open windows count as used up. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { ask } from '../ask.ts';
import { runWritecheck, temporaryFolder } from '../spawn-service.ts';
import { startTestService } from '../start-service.ts';
import { BASE, PER_CUSTOMER, refund } from './limits-kit.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

/** Rolling, so that no window ends while the test runs. */
const LIMIT = { ...PER_CUSTOMER, per: '30d' };
const NEWER = { ...LIMIT, id: 'newer' };

test.each(['SQLite', 'PostgreSQL'])(
  'after a restore every limit is used up until its window ends, unless the operator keeps them: %s',
  async (database) => {
    const folder = temporaryFolder();
    const databaseUrl = database === 'SQLite' ? null : await server.newDatabase();
    const settings = databaseUrl === null ? {} : { databaseUrl };
    const flags = ['--data', folder, ...(databaseUrl === null ? [] : ['--database-url', databaseUrl])];
    const first = await startTestService({ folder, settings });
    const { ownerKey, liveKey } = first;
    const apply = (url: string, ...limits: readonly object[]) =>
      ask(`${url}/v1/policies`, { key: ownerKey, method: 'PUT', json: { documents: [...BASE, ...limits] } });
    const check = (url: string) => ask(`${url}/v1/check-write`, { key: liveKey, json: refund('C-1') });
    await apply(first.url, LIMIT);
    expect((await check(first.url)).body).toMatchObject({ decision: 'allow', limits: [{ drawn: '0' }] });
    await first.stop();

    const restored = await runWritecheck(['audit', 'restore', '--no-freeze', ...flags]);
    expect(restored.code, restored.stderr).toBe(0);
    const second = await startTestService({ folder, settings });
    const stopped = (await check(second.url)).body;
    expect(stopped).toMatchObject({ decision: 'pause', reason_code: 'limit_exceeded' });
    expect(stopped.limits).toMatchObject([{ drawn: '1', beyond: true, resetsAt: expect.any(String) }]);
    // The lost part may have used it.
    await apply(second.url, LIMIT, NEWER);
    expect((await check(second.url)).body.limits).toMatchObject([
      { id: 'newer', drawn: '0', beyond: true },
      { id: 'refunds', drawn: '1', beyond: true },
    ]);
    await second.stop();

    const kept = await runWritecheck(['audit', 'restore', '--no-freeze', '--keep-limits', ...flags]);
    expect(kept.code, kept.stderr).toBe(0);
    const third = await startTestService({ folder, settings });
    const allowed = (await check(third.url)).body;
    expect(allowed.limits).toMatchObject([{ drawn: '0' }, { drawn: '1' }]);
    expect(allowed.decision).toBe('allow');
    await third.stop();
    rmSync(folder, { recursive: true, force: true });
  },
  120_000,
);
