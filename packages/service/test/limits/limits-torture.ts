/** `npm run torture -- limits [RUNS]`: generated sequences against a naive model, races for the last place, and kills. */
import { startTestServer } from '../../../store/test/test-postgres.ts';
import { startLimits } from './limits-kit.ts';
import { runModel } from './limits-model.ts';
import { killUnderLoad, raceForLast, startParty } from './limits-races.ts';

const RUNS = 20;
const OPERATIONS = 300;
const CALLERS = 200;
const RACES_A_RUN = 10;

export async function torture([count]: readonly string[]) {
  const runs = count === undefined ? RUNS : Number(count);
  const server = await startTestServer();
  const faults: string[] = [];
  for (const store of ['SQLite', 'PostgreSQL'] as const) {
    const databaseUrl = store === 'SQLite' ? undefined : await server.newDatabase();
    const kit = await startLimits(databaseUrl === undefined ? {} : { databaseUrl });
    for (let seed = 1; seed <= runs; seed += 1)
      faults.push(...(await runModel(kit, seed, OPERATIONS)).map((fault) => `${store}: ${fault}`));
    await kit.stop();
    for (let run = 0; run < runs; run += 1) {
      const party = await startParty(store === 'SQLite' ? undefined : await server.newDatabase());
      for (let race = 0; race < RACES_A_RUN; race += 1)
        faults.push(
          ...(await raceForLast(party, `C-${race}`, CALLERS)).map(
            (fault) => `${store}, run ${run}: ${fault}`,
          ),
        );
      faults.push(
        ...(await killUnderLoad(party, 100 + run)).map((fault) => `${store}, run ${run}: ${fault}`),
      );
      party.remove();
    }
  }
  await server.remove();
  const claim =
    'limits count as a naive model does, one of many gets the last place, and a kill changes nothing';
  return {
    claim,
    count: `${2 * runs} sequences, ${2 * runs * RACES_A_RUN} races of ${CALLERS}, ${2 * runs} kills`,
    seed: `1 to ${runs}`,
    faults,
  };
}
