import { afterAll, beforeAll } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/test-postgres.ts';
import { describeStore } from '../store-contract.ts';
import { openPostgresStore } from './postgres-store.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

describeStore('the PostgreSQL store', async () => {
  const url = await server.newDatabase();
  return { open: () => openPostgresStore(url), remove: async () => undefined };
});
