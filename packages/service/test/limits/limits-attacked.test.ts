/** A hijacked agent, with its key and everything it may send, gets no draw beyond its limits. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, type Reply } from '../ask.ts';
import { type LimitsKit, startLimits, tally } from './limits-kit.ts';

const MAX = 3;
/** The agent cannot choose anything in these limits. */
const COUNT = {
  kind: 'Limit',
  id: 'count',
  match: { system: 'pay' },
  by: ['key', 'intent["system"]'],
  per: 'day',
};
const SUM = { ...COUNT, id: 'sum', by: ['key'], sum: 'intent.metadata.context.amount', max: 100 };
const WRITE = { system: 'pay', operation: 'refund.create', metadata: { context: { amount: 1 } } };

let kit: LimitsKit;
beforeAll(async () => {
  kit = await startLimits();
  await kit.apply({ ...COUNT, max: MAX }, SUM);
});
afterAll(() => kit.stop());

const post = (path: string, json: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  ask(`${kit.service.url}${path}`, { key: kit.service.liveKey, json, headers });
const amount = (value: unknown) => ({ ...WRITE, metadata: { context: { amount: value } } });

test('of many concurrent requests, in every form, only as many are allowed as the limit leaves', async () => {
  const evaluation = {
    subject: { type: 'agent', id: 'a' },
    action: { name: 'refund.create' },
    resource: { type: 'refund', id: 'R-1', properties: { system: 'pay' } },
    context: { system: 'pay', amount: 1 },
  };
  // Its requirements, reported before the last place is taken, are not an allow.
  const requirements = post('/v1/requirements', WRITE);
  const replies = await Promise.all([
    ...Array.from({ length: 20 }, () => post('/v1/check-write', WRITE)),
    ...['pay', 'PAY', 'Pay', 'pAy'].map((system) => post('/v1/check-write', { ...WRITE, system })),
    ...['a', 'a', 'b', 'c'].map((key) => post('/v1/check-write', WRITE, { 'idempotency-key': key })),
    ...['d', 'd', 'e'].map((key) => post('/v1/check-write', WRITE, { 'idempotency-key': key, redeem: 'x' })),
    post('/access/v1/evaluation', evaluation),
    post('/access/v1/evaluations', { evaluations: Array(10).fill(evaluation) }),
  ]);
  expect((await requirements).status).toBe(200);
  const ids = new Set<string>();
  const collect = (body: Reply['body']): void => {
    if (body === null || typeof body !== 'object') return;
    if (body.decision === 'allow' || body.decision === true)
      ids.add(body.decision_id ?? body.context?.decision_id ?? JSON.stringify(body));
    for (const value of Object.values(body)) collect(value as Reply['body']);
  };
  for (const { body, status } of replies) if (status === 200) collect(body);
  expect(ids.size).toBe(MAX);
  const { groups } = (await kit.get('/v1/limits/count')).body;
  expect(groups).toMatchObject([{ group: [expect.any(String), 'pay'], drawn: String(MAX), remaining: '0' }]);
});

test('an amount that is missing or negative draws nothing and is not allowed', async () => {
  await kit.apply(SUM);
  const used = await post('/v1/check-write', amount('97'));
  expect(used.body).toMatchObject({ decision: 'allow', limits: [{ drawn: String(MAX), draw: '97' }] });
  const tricks = [
    -1,
    -0.5,
    1e-7,
    1e21,
    '1e2',
    '-1',
    '+1',
    ' 1',
    '1 ',
    '1.',
    '.5',
    '1,5',
    '0x1',
    '١',
    '１',
    '1_0',
    '',
  ]
    .concat(['1'.repeat(16), `0.${'0'.repeat(6)}1`, 'NaN', 'Infinity'])
    .concat([null, true, [1], { value: 1 }] as never[]);
  const replies = [
    ...(await Promise.all(tricks.map((value) => post('/v1/check-write', amount(value))))),
    await post('/v1/check-write', { ...WRITE, metadata: {} }),
    await post('/v1/check-write', { ...WRITE, metadata: { context: { Amount: 0 } } }),
    await post('/v1/check-write', { ...WRITE, metadata: { amount: 0 } }),
  ];
  for (const { body } of replies) expect(body.allowed, JSON.stringify(body)).toBe(false);
  expect(tally(replies).allow).toBeUndefined();
  // The smallest amount.
  expect((await post('/v1/check-write', amount('0.000001'))).body).toMatchObject({ decision: 'pause' });
  const { drawn } = (await kit.get('/v1/limits/sum')).body.groups[0];
  expect(drawn).toBe('100');
});

test('amounts that would fit only in another order draw no more than fits', async () => {
  await kit.apply({ ...SUM, id: 'order' });
  const amounts = [60, 60, -60, 40, 0.000001, 0];
  const decisions: string[] = [];
  for (const each of amounts) decisions.push((await post('/v1/check-write', amount(each))).body.decision);
  expect(decisions).toEqual([...['allow', 'pause', 'pause', 'allow', 'pause', 'allow']]);
  expect((await kit.get('/v1/limits/order')).body.groups[0].drawn).toBe('100');
});

test('a rotated key continues where the old one was, and no key gives a draw back', async () => {
  const { id } = (await kit.get('/v1/keys')).body.keys.find(({ kind }: { kind: string }) => kind === 'live');
  const rotated = await ask(`${kit.service.url}/v1/keys/${id}/rotate`, {
    key: kit.service.ownerKey,
    json: {},
  });
  const next = await kit.check(amount(1), { key: rotated.body.secret });
  expect(next.body).toMatchObject({ decision: 'pause', limits: [{ drawn: '100' }] });
  for (const key of [kit.service.liveKey, kit.service.developmentKey, rotated.body.secret]) {
    const json = { group: [id], amount: 1, reason: 'mine' };
    const given = await ask(`${kit.service.url}/v1/limits/order/corrections`, { key, json });
    expect(given.status).toBe(403);
  }
});
