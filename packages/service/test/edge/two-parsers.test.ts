/** Plain checks are read by a parser of our own, everything else by Node's; no client can tell from the responses. */
import { ERROR_CATALOGUE, type ErrorCode } from '@writecheck/contract';
import { type Store, StoreUnavailable } from '@writecheck/store/port';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSecret } from '../../src/features/keys/key-format.ts';
import { ALLOWED, ask, checkAll, PAUSED, signUp } from '../ask.ts';
import { rawSocket } from '../raw-socket.ts';
import { startTestService, type TestService } from '../start-service.ts';
import { askBothWays, checkBytes, converse, responsesIn, type SentCheck } from './both-ways.ts';

let nowMs = Date.UTC(2026, 10, 15, 12);
const clock = () => nowMs;
let service: TestService;
let limited: TestService;
let fault: 'none' | 'unavailable' | 'bug' = 'none';
beforeAll(async () => {
  [service, limited] = await Promise.all([
    startTestService({ clock, throughStore: faulty }),
    startTestService({ clock, settings: { ratePerKey: '2' } }),
  ]);
});
afterAll(() => Promise.all([service.stop(), limited.stop()]));

function faulty({ commitFindsTwins: _, ...store }: Store): Store {
  return {
    ...store,
    commit: async (...asked) => {
      if (fault === 'unavailable') throw new StoreUnavailable('full', 'the disk is full');
      return store.commit(...asked);
    },
    findAnswer: async (workspace, key, atMs) => {
      if (fault === 'bug') throw new TypeError('a bug');
      return store.findAnswer(workspace, key, atMs);
    },
  };
}

const bytesOf = (check: Partial<SentCheck> = {}): string =>
  checkBytes(service.url, { key: service.liveKey, body: ALLOWED, ...check });
const both = (check: Partial<SentCheck> = {}) => askBothWays(service.url, bytesOf(check));
const newKey = async (settings: object): Promise<{ readonly id: string; readonly secret: string }> => {
  const { body } = await ask(`${service.url}/v1/keys`, {
    key: service.ownerKey,
    json: { kind: 'live', name: 'for a test', ...settings },
  });
  return { id: body.key.id, secret: body.secret };
};
const bodyOf = (response: string) => JSON.parse(response.slice(response.indexOf('\r\n\r\n')));
/** Ids differ from check to check. */
const unnamed = (response: string): string => response.replaceAll(/(dec|aud)_[0-9a-f]{32}/g, '');

test.each([
  ['an allow', ALLOWED],
  ['a pause', PAUSED],
  ['text beyond ASCII', { ...ALLOWED, agentValue: 'zoë 漢字 😀' }],
])('%s gets the same bytes from both parsers', async (_name, body) => {
  const { plain, node } = await both({ body });
  expect(plain).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(unnamed(plain)).toBe(unnamed(node));
});

test('a body in another charset than UTF-8 is refused with the same bytes by both parsers, and on every route', async () => {
  const { plain, node } = await both({ type: 'application/json; charset=utf-16' });
  expect(plain).toBe(node);
  expect(plain).toMatch(/^HTTP\/1\.1 415 /);
  expect(bodyOf(plain).error.message).toContain('send the body as UTF-8');
  for (const [method, path, type, status] of [
    ['POST', '/v1/workspaces', 'application/json', 415],
    ['POST', '/v1/keys', 'application/json', 415],
    ['PUT', '/v1/policies', 'application/json', 415],
    ['PUT', '/v1/policies', 'application/yaml', 415],
    // AuthZEN has no 415.
    ['POST', '/access/v1/evaluations', 'application/json', 400],
  ] as const) {
    const headers = { 'content-type': `${type}; charset=utf-16` };
    const key = path.startsWith('/access') ? service.liveKey : service.ownerKey;
    const reply = await ask(service.url + path, { method, key, headers, body: '{}' });
    expect([path, reply.status]).toEqual([path, status]);
    expect(reply.text).toContain('send the body as UTF-8');
  }
});

const REFUSED: { readonly [code in ErrorCode]?: () => ReturnType<typeof both> } = {
  missing_key: () => both({ key: null }),
  invalid_key: () => both({ key: createSecret('live') }),
  key_revoked: async () => {
    const { id, secret } = await newKey({});
    await ask(`${service.url}/v1/keys/${id}`, { method: 'DELETE', key: service.ownerKey });
    return both({ key: secret });
  },
  key_expired: async () => {
    const { secret } = await newKey({ expiresAt: new Date(nowMs + 1_000).toISOString() });
    nowMs += 1_000;
    return both({ key: secret });
  },
  workspace_suspended: async () => {
    const { workspace, developmentKey } = await signUp(service);
    const by = { kind: 'operator', id: 'o' } as const;
    await service.store.changeWorkspaceState({ workspace: workspace.id, by, atMs: nowMs }, 'suspended');
    return both({ key: developmentKey });
  },
  insufficient_scope: () => both({ key: service.ownerKey }),
  rate_limited: () => {
    nowMs += 1_000;
    const request = checkBytes(limited.url, { key: limited.liveKey, body: ALLOWED });
    return converse(limited.url, [request, request]).then(() => askBothWays(limited.url, request));
  },
  unsupported_media_type: () => both({ type: 'text/plain' }),
  malformed_json: () => both({ body: '{"a":' }),
  unsupported_schema_version: () => both({ body: { ...ALLOWED, schemaVersion: 'write_intent.v2' } }),
  unknown_member: () => both({ body: { ...ALLOWED, required_controls: [] } }),
  // A key in the body is not repeated in an error.
  invalid_intent: () => both({ body: { ...ALLOWED, [createSecret('live')]: 1, system: 5 } }),
  invalid_request: () => both({ headers: ['Idempotency-Key: a b'] }),
  idempotency_key_reused: async () => {
    const headers = ['Idempotency-Key: reused'];
    await converse(service.url, [bytesOf({ body: PAUSED, headers })]);
    return both({ headers });
  },
  idempotency_key_expired: async () => {
    const headers = ['Idempotency-Key: late'];
    await converse(service.url, [bytesOf({ headers })]);
    nowMs += 5 * 60_000;
    return both({ headers });
  },
  quota_exceeded: async () => {
    for (let round = 0; round < 20; round += 1)
      await checkAll(service.url, service.developmentKey, Array(50).fill(PAUSED));
    return both({ key: service.developmentKey });
  },
  store_unavailable: () => {
    fault = 'unavailable';
    return both();
  },
  internal_error: () => {
    fault = 'bug';
    return both({ headers: ['Idempotency-Key: broken'] });
  },
  clock_behind: async () => {
    await converse(service.url, [bytesOf()]);
    nowMs -= 61_000;
    return both().finally(() => {
      nowMs += 61_000;
    });
  },
  clock_ahead: async () => {
    let aheadMs = 0;
    const ahead = await startTestService({ clock: () => nowMs + aheadMs, uptime: () => 0 });
    aheadMs = 600_000;
    const request = checkBytes(ahead.url, { key: ahead.liveKey, body: ALLOWED });
    return askBothWays(ahead.url, request).finally(() => ahead.stop());
  },
};

/** Codes that a plain check cannot get; `node-server.test.ts` compares the bytes of every code. */
const ELSEWHERE: readonly ErrorCode[] = [
  'not_found',
  'method_not_allowed',
  'signup_closed',
  'plan_limit',
  'last_owner_key',
  'key_not_active',
  'loosening_unconfirmed',
  'revision_conflict',
  'invalid_policy',
  'not_redeemable',
  'already_redeemed',
  'outcome_recorded',
  'decision_erased',
  'not_reviewable',
  'review_closed',
  'already_voted',
  'already_asked',
  'not_a_reviewer',
  'self_review',
  'identity_too_weak',
  'assertion_invalid',
  'email_taken',
  'not_a_member',
  'provider_unavailable',
  'run_in_progress',
  // The plain parser takes requests that arrive in one piece, which are never that long.
  'body_too_large',
  // Behind the gates, and hard to cause twice in a row.
  'request_in_flight',
  'overloaded',
];

test('every code of the catalogue is compared, unless no plain check can get it', () => {
  expect([...Object.keys(REFUSED), ...ELSEWHERE].sort()).toEqual(Object.keys(ERROR_CATALOGUE).sort());
});

test.each(Object.entries(REFUSED))('%s is refused with the same bytes by both parsers', async (code, way) => {
  const { plain, node } = await way();
  fault = 'none';
  expect(plain).toBe(node);
  expect(bodyOf(plain).error.code).toBe(code);
  expect(bodyOf(plain).request_id).toBe('r-1');
});

test('failed authentications are counted by address for both parsers alike', async () => {
  nowMs += 60_000;
  const request = checkBytes(limited.url, { key: createSecret('live'), body: ALLOWED });
  await converse(limited.url, Array(120).fill(request));
  const { plain, node } = await askBothWays(limited.url, request);
  expect(plain).toBe(node);
  expect(bodyOf(plain).error.code).toBe('rate_limited');
});

test('a check under a rate limit is read by the plain parser too, and gets the rate headers', async () => {
  const request = checkBytes(limited.url, { key: limited.liveKey, body: ALLOWED });
  nowMs += 1_000;
  const { plain, node } = await askBothWays(limited.url, request);
  expect(plain).toContain('\r\nratelimit-policy: "key";q=2;w=1\r\nratelimit: "key";r=1;t=1\r\n');
  expect(node).toContain('\r\nratelimit: "key";r=0;t=1\r\n');
  nowMs += 1_000;
  const { plain: development } = await askBothWays(
    limited.url,
    checkBytes(limited.url, { key: limited.developmentKey, body: ALLOWED }),
  );
  expect(development).toMatch(/\r\nratelimit: "key";r=1;t=1, "development";r=999;t=\d+\r\n/);
});

test('an internal error is logged under the request id that the client got', async () => {
  const request = bytesOf({ headers: ['Idempotency-Key: logged'] }).replace('X-Request-ID', 'X-Other');
  fault = 'bug';
  const { plain, node } = await askBothWays(service.url, request);
  fault = 'none';
  const lines = service.logged().split('\n');
  const logged = lines.filter((line) => line.includes('a bug')).map((line) => JSON.parse(line).requestId);
  for (const response of [plain, node]) expect(logged).toContain(bodyOf(response).request_id);
});

test('a replay comes from the plain parser too', async () => {
  const request = bytesOf({ headers: ['Idempotency-Key: plain-1'] });
  const { plain, node } = await askBothWays(service.url, request);
  expect(node).toContain('\r\nidempotency-replayed: true\r\n');
  expect(bodyOf(node)).toEqual(bodyOf(plain));
});

test('one connection serves many checks, also after Node has taken it over', async () => {
  const health = `GET /healthz HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\n\r\n`;
  const responses = await converse(service.url, [bytesOf(), bytesOf({ body: PAUSED }), health, bytesOf()]);
  expect(responses.map((response) => response.slice(9, 12))).toEqual(Array(4).fill('200'));
  expect([1, 3].map((i) => bodyOf(responses[i]!).decision)).toEqual(['pause', 'allow']);
});

test('requests sent before the response get theirs in order', async () => {
  const isAllowed = (i: number) => i % 2 === 0;
  const requests = Array.from({ length: 20 }, (_, i) => bytesOf({ body: isAllowed(i) ? ALLOWED : PAUSED }));
  for (const isTogether of [true, false]) {
    const connection = await rawSocket(service.url);
    connection.socket.setNoDelay(true);
    if (isTogether) connection.send(requests.join(''));
    else
      for (const request of requests) {
        connection.send(request);
        await new Promise((resolve) => setImmediate(resolve));
      }
    const text = await connection.until((received) => responsesIn(received).length === requests.length);
    connection.socket.destroy();
    const decisions = responsesIn(text).map((response) => bodyOf(response).decision);
    expect(decisions).toEqual(requests.map((_, i) => (isAllowed(i) ? 'allow' : 'pause')));
  }
});

test('a client that half-closes still gets its response', async () => {
  const connection = await rawSocket(service.url);
  connection.socket.end(bytesOf());
  const text = await connection.closed();
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(text).toContain('\r\nConnection: close\r\n');
});

test('a client that leaves in the middle of its check harms nobody', async () => {
  for (let i = 0; i < 20; i += 1) {
    const connection = await rawSocket(service.url);
    connection.send(bytesOf());
    if (i % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
    connection.socket.resetAndDestroy();
  }
  const [response] = await converse(service.url, [bytesOf()]);
  expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

test('a revoked key is refused within a second on a connection it was admitted on', async () => {
  const { id, secret } = await newKey({});
  const connection = await rawSocket(service.url);
  const statuses: string[] = [];
  const send = async () => {
    connection.send(bytesOf({ key: secret }));
    const text = await connection.until((received) => responsesIn(received).length > statuses.length);
    statuses.push(responsesIn(text).at(-1)!.slice(9, 12));
  };
  await send();
  await send();
  await ask(`${service.url}/v1/keys/${id}`, { key: service.ownerKey, method: 'DELETE' });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await send();
  connection.socket.destroy();
  expect(statuses).toEqual(['200', '200', '401']);
});
