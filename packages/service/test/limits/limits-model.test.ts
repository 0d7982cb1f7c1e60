/** Limits count as a naive model does, on both stores, whatever happens in between. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { startLimits } from './limits-kit.ts';
import { runModel } from './limits-model.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

test.each(['SQLite', 'PostgreSQL'] as const)(
  'generated sequences count on %s as in the model',
  async (database) => {
    const kit = await startLimits(database === 'SQLite' ? {} : { databaseUrl: await server.newDatabase() });
    try {
      expect(await runModel(kit, 1, 80)).toEqual([]);
    } finally {
      await kit.stop();
    }
  },
  120_000,
);
