/** Limits under races and kills, on threads and on replicas; `npm run torture -- limits` repeats them at length. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { killUnderLoad, raceForLast, startParty } from './limits-races.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

test.each(['threads on SQLite', 'replicas on PostgreSQL'])(
  'of many concurrent checks one gets the last place, and after a kill counters match the log: %s',
  async (which) => {
    const party = await startParty(which === 'threads on SQLite' ? undefined : await server.newDatabase());
    try {
      for (const customer of ['C-1', 'C-2']) expect(await raceForLast(party, customer, 24)).toEqual([]);
      expect(await killUnderLoad(party, 40)).toEqual([]);
    } finally {
      await party.kill();
      party.remove();
    }
  },
  120_000,
);
