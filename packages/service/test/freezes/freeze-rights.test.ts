/**
 * Anybody who sees an emergency may stop it, within bounds that leave owners their places; no key of a program
 * may.
 */
import { DAY_MS, HOUR_MS } from '@writecheck/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { callWritecheck } from '../call-writecheck.ts';
import { newMember } from '../member-kit.ts';
import { startTestService, type TestService } from '../start-service.ts';
import { calls } from './freezes-kit.ts';

let service: TestService;
let call: ReturnType<typeof calls>;
beforeAll(async () => {
  service = await startTestService();
  call = calls({ services: [service], ownerKey: service.ownerKey, liveKey: service.liveKey });
});
afterAll(() => service.stop());

const ahead = (ms: number): string => new Date(Date.now() + ms).toISOString();
const freezeAs = (token: string, wish: object = {}) =>
  call.freeze({ reason: 'stop', scope: { system: 'elsewhere' }, ...wish }, {}, token);

test.each(['author', 'reviewer'])(
  'a person with role %s freezes for at most 24 hours, and at most 5 at a time',
  async (role) => {
    const { id, token } = await newMember(service, [role], Date.now());
    for (const until of [ahead(25 * HOUR_MS), ahead(-HOUR_MS)]) {
      const { status, body } = await freezeAs(token, { until });
      expect([status, body.error.code]).toEqual([422, 'invalid_request']);
    }
    const { status, body } = await freezeAs(token);
    expect([status, body.freeze.createdBy]).toEqual([201, { kind: 'person', id }]);
    expect(Date.parse(body.freeze.until) - Date.parse(body.freeze.createdAt)).toBe(DAY_MS);

    const more = await Promise.all(
      Array.from({ length: 6 }, () => freezeAs(token, { until: ahead(23 * HOUR_MS) })),
    );
    const codes = more.map((reply) => reply.body.error?.code ?? reply.status);
    expect(codes.toSorted()).toEqual([201, 201, 201, 201, 'plan_limit', 'plan_limit']);
    expect(more.filter((reply) => reply.status !== 201).map((reply) => reply.status)).toEqual([403, 403]);

    const lifted = await call.lift(body.freeze.id, token);
    expect([lifted.status, lifted.body.error.code]).toEqual([403, 'insufficient_scope']);
    // Neither another person's places nor the owners' are used up, and a lift gives a place back.
    const colleague = await newMember(service, [role], Date.now());
    expect((await freezeAs(colleague.token)).status).toBe(201);
    expect((await freezeAs(service.ownerKey)).status).toBe(201);
    expect((await call.lift(body.freeze.id)).status).toBe(200);
    expect((await freezeAs(token)).status).toBe(201);
    expect((await freezeAs(token)).body.error.code).toBe('plan_limit');
  },
);

test('an owner freezes without an end, and shares 100 places with the owner keys', async () => {
  const { id, token } = await newMember(service, ['owner', 'reviewer'], Date.now());
  for (const { id: active } of await owners()) await call.lift(active);
  const first = await freezeAs(token);
  expect(first.body.freeze).toMatchObject({ until: null, createdBy: { kind: 'person', id } });
  const rest = await Promise.all(
    Array.from({ length: 100 }, (_, i) => freezeAs(i % 2 === 0 ? token : service.ownerKey)),
  );
  expect(rest.filter(({ status }) => status === 201)).toHaveLength(99);
  const { error } = rest.find(({ status }) => status !== 201)!.body;
  expect([error.code, error.message]).toEqual(['plan_limit', expect.stringContaining('`writecheck freeze`')]);
  // This still stops everything, as the message says.
  const command = await callWritecheck(['freeze', '--data', service.folder, '--reason', 'all of it']);
  expect([command.code, command.stdout]).toEqual([0, expect.stringMatching(/^frz_/)]);
  const byOperator = command.stdout.split(' ')[0]!;
  expect((await call.get(`/v1/freezes/${byOperator}`)).body.freeze).toMatchObject({
    scope: {},
    liftedAt: null,
  });
  await call.lift(byOperator);
  const lifted = await ask(`${service.url}/v1/freezes/lift`, {
    key: token,
    json: { createdBy: { kind: 'person', id }, reason: 'over' },
  });
  expect(lifted.status).toBe(200);
  expect((await freezeAs(token)).status).toBe(201);
});

test('an auditor, a service key and a checking key cannot freeze; only a checking key sees no freezes', async () => {
  const auditor = await newMember(service, ['auditor'], Date.now());
  const author = await ask(`${service.url}/v1/keys`, {
    key: service.ownerKey,
    json: { kind: 'service', name: 'ci', roles: ['author', 'auditor'] },
  });
  const before = (await call.get('/v1/freezes?state=all')).body.freezes[0].number;
  for (const [key, sees] of [
    [auditor.token, 200],
    [author.body.secret, 200],
    [service.liveKey, 403],
    [service.developmentKey, 403],
  ] as const) {
    const { status, body } = await freezeAs(key);
    expect([status, body.error.code]).toEqual([403, 'insufficient_scope']);
    expect((await call.get('/v1/freezes', key)).status).toBe(sees);
  }
  expect((await call.get('/v1/freezes?state=all')).body.freezes[0].number).toBe(before);
});

async function owners(): Promise<readonly { readonly id: string }[]> {
  const { body } = await call.get('/v1/freezes');
  return body.freezes.filter(
    ({ createdBy }: { createdBy: { kind: string } }) => createdBy.kind === 'owner_key',
  );
}
