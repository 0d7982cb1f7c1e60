/** Generated sequences of checks, replays, corrections, policies, times and restarts, against a naive model. */
import { type Dice, seededDice } from '../../../engine/test/dice.ts';
import { ask, type Reply } from '../ask.ts';
import { type LimitsKit, refund } from './limits-kit.ts';
import { type Context, type NaiveLimit, NaiveLimits } from './limits-naive.ts';

const CUSTOMER = 'intent.metadata.context.customer';
const AMOUNT = 'intent.metadata.context.amount';
/** Some differ only in a member that resets a counter, others in one that does not. */
const LIMITS: readonly NaiveLimit[] = [
  { id: 'count', by: [CUSTOMER], max: 3, per: 'day' },
  { id: 'count', by: [CUSTOMER], max: 5, per: 'day' },
  { id: 'count', by: [CUSTOMER], max: 3, per: 'hour' },
  { id: 'sum', by: [CUSTOMER], sum: AMOUNT, max: 500, per: 'week', beyond: 'block' },
  { id: 'sum', sum: AMOUNT, max: 900.5, per: 'month' },
  { id: 'all', max: 12, per: '90m' },
  { id: 'all', max: 9, per: '90m', writePolicy: 'observe' },
  { id: 'short', by: [CUSTOMER, AMOUNT], max: 1, per: '1m' },
  { id: 'seven', by: [CUSTOMER], sum: AMOUNT, max: 250, per: '7h' },
];
const CUSTOMERS = ['C-1', 'C-2', 'c-1', 1001, '1001', true, undefined, null, 'Ü\u0000"', '\u00dc'] as const;
const AMOUNTS = [1, 10, '007.50', 0.1, 0.2, '99.999999', 250, 0, -1, '1e2', undefined, '0.0000001'] as const;
const MINUTE_MS = 60_000;
const STEPS_MS = [1, 999, MINUTE_MS, 5 * MINUTE_MS, 61 * MINUTE_MS, 8 * 60 * MINUTE_MS, 26 * 60 * MINUTE_MS];
const KEPT_MS = 24 * 60 * MINUTE_MS;

interface Kept {
  readonly body: string;
  readonly atMs: number;
  readonly text: string;
}

/** What went wrong; empty if the service counted as the model does. */
export async function runModel(kit: LimitsKit, seed: number, operations: number): Promise<readonly string[]> {
  const faults: string[] = [];
  const dice = seededDice(seed, 32);
  const model = new NaiveLimits();
  const kept = new Map<string, Kept>();
  // Counters belong to an id, so those of another seed on the same store do not interfere.
  const mine = LIMITS.map((limit) => ({ ...limit, id: `${limit.id}-${seed}` }));
  const expected = (what: string, found: unknown, wanted: unknown): void => {
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      faults.push(`seed ${seed}, ${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
  };
  const apply = async (): Promise<void> => {
    const chosen = Array.from({ length: 2 + dice.roll(3) }, () => dice.pick(mine));
    model.limits = chosen
      .filter(({ id }, i) => chosen.findIndex((one) => one.id === id) === i)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    await kit.apply(...model.limits.map((limit) => ({ kind: 'Limit', match: { system: 'pay' }, ...limit })));
  };
  const compare = (what: string, keyKind: string, context: Context, body: Reply['body']): void => {
    const { decision, limits } = model.decide(keyKind, context, Date.parse(body.timestamp));
    expected(`${what} ${JSON.stringify(context)}`, body.decision, decision);
    const shown = (body.limits ?? []).map((state: { readonly [member: string]: unknown }) =>
      Object.fromEntries(
        ['id', 'max', 'drawn', 'draw', 'remaining', 'resetsAt', 'beyond'].map((m) => [m, state[m]]),
      ),
    );
    expected(`${what} ${JSON.stringify(context)}`, shown, limits);
  };
  const keyOf = (keyKind: string) => (keyKind === 'live' ? kit.service.liveKey : kit.service.developmentKey);

  const steps: { readonly [name: string]: (at: number) => Promise<void> } = {
    async check(at) {
      const keyKind = dice.chance(90) ? 'live' : 'development';
      const context = contextOf(dice);
      const { status, body, text } = await kit.check(intentOf(context), { key: keyOf(keyKind) });
      if (status !== 200) faults.push(`seed ${seed}, ${at}: ${text}`);
      else compare(`${at} check`, keyKind, context, body);
    },
    async replay(at) {
      const key = `${seed}-${dice.roll(4)}`;
      const context = contextOf(dice);
      const intent = JSON.stringify(intentOf(context));
      const { status, body, text } = await kit.check(intentOf(context), {
        headers: { 'idempotency-key': key },
      });
      const before = kept.get(key);
      const nowMs = kit.nowMs();
      if (before !== undefined && nowMs - before.atMs < KEPT_MS) {
        if (before.body !== intent) expected(`${at} another body`, status, 422);
        else if (status === 200) expected(`${at} replay`, text, before.text);
        else expected(`${at} late replay`, status, 409);
        return;
      }
      compare(`${at} keyed`, 'live', context, body);
      kept.set(key, { body: intent, atMs: nowMs, text });
    },
    async correct(at) {
      const limit = model.limits.length === 0 ? undefined : dice.pick(model.limits);
      if (limit === undefined) return;
      const group = model.groupOf(limit, contextOf(dice)) ?? ['nobody'];
      const amount = dice.pick(['1', '0.1', '7.5', '100']);
      const isDrawn = model.read(limit, 'live', group, kit.nowMs()).drawn > 0n;
      const { status, body } = await ask(`${kit.service.url}/v1/limits/${limit.id}/corrections`, {
        key: kit.service.ownerKey,
        json: { group, amount, reason: 'model' },
      });
      const isGiven = model.giveBack(limit, 'live', group, amount, kit.nowMs());
      expected(`${at} correction`, status, isDrawn ? (isGiven ? 200 : 422) : 404);
      if (status === 200)
        expected(`${at} corrected`, body.drawn, shownDrawn(model, limit, group, kit.nowMs()));
    },
    async later() {
      kit.aheadMs += dice.pick(STEPS_MS);
    },
    async edge() {
      // Moves the clock to just before or at the end of an hour, of a day or of a step.
      const unitMs = dice.pick([90_000, 60 * MINUTE_MS, KEPT_MS]);
      kit.aheadMs += unitMs - (kit.nowMs() % unitMs) - dice.roll(2);
    },
    apply,
    restart: () => kit.restart(),
    async sweep() {
      while ((await kit.service.store.sweep(kit.nowMs())) > 0);
    },
    async seen(at) {
      for (const limit of model.limits) {
        const { groups } = (await kit.get(`/v1/limits/${limit.id}?limit=200`)).body;
        const found = groups.map(({ group, drawn, resetsAt }: never) => ({ group, drawn, resetsAt }));
        expected(
          `${at} groups of ${limit.id}`,
          sorted(found),
          sorted(model.groups(limit, 'live', kit.nowMs())),
        );
      }
    },
    async rebuild(at) {
      expected(`${at} rebuild`, (await kit.service.store.rebuildDraws()).differed, 0);
      if (!dice.chance(50)) return;
      await kit.runSql('DELETE FROM limit_draws');
      await kit.service.store.rebuildDraws();
      await steps.seen!(at);
    },
  };
  const deck = Object.entries({
    ...{ check: 48, replay: 10, correct: 8, later: 14, edge: 4 },
    ...{ apply: 6, restart: 1, sweep: 3, seen: 5, rebuild: 3 },
  }).flatMap(([name, count]) => Array<string>(count).fill(name));
  await apply();
  for (let at = 0; at < operations && faults.length === 0; at += 1) await steps[dice.pick(deck)]!(at);
  if (faults.length === 0) await steps.rebuild!(operations);
  if (faults.length === 0) await steps.seen!(operations);
  return faults;
}

function contextOf(dice: Dice): Context {
  return { customer: dice.pick(CUSTOMERS), amount: dice.pick(AMOUNTS) };
}

function intentOf({ customer, amount }: Context) {
  return refund(customer, amount);
}

function shownDrawn(model: NaiveLimits, limit: NaiveLimit, group: readonly string[], atMs: number): string {
  return (
    model.groups(limit, 'live', atMs).find((one) => JSON.stringify(one.group) === JSON.stringify(group))
      ?.drawn ?? '0'
  );
}

function sorted(groups: readonly unknown[]): readonly string[] {
  return groups.map((one) => JSON.stringify(one)).sort();
}
