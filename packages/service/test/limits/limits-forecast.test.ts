/**
 * A thread forecasts what counters hold: a wrong forecast neither allows one draw too many nor stops one too
 * early.
 */
import { StoreUnavailable } from '@writecheck/store/port';
import { afterAll, expect, test } from 'vitest';
import { type CheckKit, intentOf, openKit } from '../check-kit.ts';

const limit = (max: number) => [{ kind: 'Limit', id: 'count', match: { system: 'crm' }, max, per: 'day' }];
const kits: CheckKit[] = [];
afterAll(async () => {
  for (const kit of kits.reverse()) await kit.close();
});

async function kept(opening: Promise<CheckKit>): Promise<CheckKit> {
  const kit = await opening;
  kits.push(kit);
  return kit;
}

test('draws of another process are found by the commit', async () => {
  const own = await kept(openKit());
  await own.applyPolicy(limit(4));
  const other = await kept(own.another());
  const ask = async (kit: CheckKit) => (await kit.ask(intentOf())).json;
  expect(await ask(own)).toMatchObject({ decision: 'allow', limits: [{ drawn: '0' }] });
  expect(await ask(other)).toMatchObject({ decision: 'allow', limits: [{ drawn: '1' }] });
  const moved = await ask(own);
  expect(moved).toMatchObject({ decision: 'allow', limits: [{ drawn: '2', remaining: '2' }] });
  const recorded = await own.store.findDecision(own.workspace, moved.decision_id);
  expect(Buffer.from(recorded!.record).toString()).toContain('"drawn":"2"');
  expect(await ask(other)).toMatchObject({ decision: 'allow', limits: [{ drawn: '3' }] });
  expect(await ask(own)).toMatchObject({ reason_code: 'limit_exceeded', limits: [{ drawn: '4' }] });
});

test('a check whose commit failed leaves its place to the next', async () => {
  let fails = true;
  const kit = await kept(
    openKit({
      throughStore: (store) => ({
        ...store,
        commit: (...asked) => {
          if (!fails) return store.commit(...asked);
          fails = false;
          return Promise.reject(new StoreUnavailable('full', 'the disk is full'));
        },
      }),
    }),
  );
  await kit.applyPolicy(limit(1));
  const replies = await Promise.all([kit.ask(intentOf()), kit.ask(intentOf())]);
  expect(replies.map(({ status }) => status)).toEqual([503, 503]);
  const { json } = await kit.ask(intentOf());
  expect(json).toMatchObject({ decision: 'allow', limits: [{ drawn: '0' }] });
  expect((await kit.ask(intentOf())).json).toMatchObject({ reason_code: 'limit_exceeded' });
});
