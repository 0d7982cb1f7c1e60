import { expect, test } from 'vitest';
import type { PersonActor } from '../exchange/actor.ts';
import type { HttpRequest } from '../exchange/request.ts';
import type { KeyedRoute, OpenRoute } from '../exchange/route.ts';
import { routeTable } from './find-route.ts';
import { type Gatekeeping, requestHandler } from './gates.ts';

const CONTEXT = { requestId: 'req_1', traceId: '0'.repeat(32), nowMs: 0 };
const FAILED = { status: 500, headers: {}, body: '{"allowed":false}' };

/** What a request to an open route gets, and the failures by the ids that they are logged under. */
async function answered(handle: OpenRoute['handle'], around: Partial<Gatekeeping> = {}) {
  const failures: string[] = [];
  const route = { method: 'POST', path: '/v1/check-write', access: 'open', operation: {}, handle };
  const gates: Partial<Gatekeeping> = {
    routes: routeTable([route as unknown as OpenRoute], async () => []),
    failed: (error, { requestId }) => {
      failures.push(`${requestId} ${error}`);
      return FAILED;
    },
    tracing: null,
    ...around,
  };
  const request: Partial<HttpRequest> = {
    method: 'POST',
    path: '/v1/check-write',
    query: '',
    sentTwice: () => false,
    credential: () => ({ kind: 'session', digest: '' }),
  };
  const answer = await requestHandler(gates as Gatekeeping)(request as HttpRequest, CONTEXT);
  return { answer, failures };
}

test.each([
  ['rejects', () => Promise.reject(new Error('check'))],
  [
    'throws',
    () => {
      throw new Error('check');
    },
  ],
])(
  'a route that %s is logged as failed under the id of its request, and returns no allow',
  async (_how, handle) => {
    const { answer, failures } = await answered(handle);
    expect(answer).toEqual(FAILED);
    expect(failures).toEqual(['req_1 Error: check']);
  },
);

test('a route that cannot be loaded is logged as failed, and returns no allow', async () => {
  const routes = routeTable([], () => Promise.reject(new Error('a file is gone')));
  const { answer, failures } = await answered(async () => FAILED, { routes });
  expect([answer, failures]).toEqual([FAILED, ['req_1 Error: a file is gone']]);
});

test('a trace that breaks is logged as failed too', async () => {
  const around = () => {
    throw new Error('trace');
  };
  const { answer, failures } = await answered(async () => FAILED, { tracing: { around } });
  expect([answer, failures]).toEqual([FAILED, ['req_1 Error: trace']]);
});

test('a request waits until the service is open', async () => {
  const order: string[] = [];
  const opening = Promise.resolve().then(() => void order.push('open'));
  await answered(
    async () => {
      order.push('handled');
      return FAILED;
    },
    { opening },
  );
  expect(order).toEqual(['open', 'handled']);
});

test('the other threads hear of a change even if its handler throws afterwards', async () => {
  let told = 0;
  const tell = () => {
    told += 1;
  };
  const actor = { kind: 'person', id: 'per_1', workspace: 'wks_1', person: { roles: ['owner'] } };
  const route = {
    method: 'POST',
    path: '/v1/check-write',
    access: 'managing',
    operation: { operationId: 'disablePerson' },
    handle: () => Promise.reject(new Error('after the change')),
  };
  const { answer } = await answered(async () => FAILED, {
    routes: routeTable([route as unknown as KeyedRoute], async () => []),
    siblings: { tell, hasNews: () => false },
    clock: { latest: (nowMs) => nowMs },
    sessions: { authenticate: async () => ({ kind: 'actor', actor: actor as unknown as PersonActor }) },
    callerKnown: () => undefined,
  });
  expect([answer, told]).toEqual([FAILED, 1]);
});
