import { connect } from 'node:net';
import { join } from 'node:path';
import { StoreUnavailable } from '@writecheck/store/port';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { ALLOWED, ask, check, signUp } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

let service: TestService | null = null;
afterEach(async () => {
  await service?.stop();
  service = null;
});

function raw(url: string, head: readonly string[], body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
    socket.write(
      `${['POST /v1/check-write HTTP/1.1', 'Host: x', 'Connection: close', ...head].join('\r\n')}\r\n\r\n${body}`,
    );
  });
}

test('a clock that was set back does not give an expired key another life', async () => {
  const startMs = Date.parse('2026-11-15T12:00:00Z');
  let nowMs = startMs;
  service = await startTestService({ clock: () => nowMs });
  const made = await ask(`${service.url}/v1/keys`, {
    key: service.ownerKey,
    json: { kind: 'development', name: 'short', expiresAt: new Date(startMs + 60_000).toISOString() },
  });
  nowMs = startMs + 100_000;
  expect((await check(service, ALLOWED)).body.decision).toBe('allow');
  nowMs = startMs + 45_000;
  const late = await check(service, ALLOWED, { key: made.body.secret });
  expect(late.status).toBe(401);
  expect(late.body.error.code).toBe('key_expired');
});

describe('a request that a proxy could read differently is refused', () => {
  const body = JSON.stringify(ALLOWED);
  test('two keys', async () => {
    service = await startTestService();
    const head = [
      `Authorization: Bearer ${service.developmentKey}`,
      `authorization: Bearer ${service.liveKey}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    expect(await raw(service.url, head, body)).toMatch(/^HTTP\/1\.1 401 [\s\S]*"invalid_key"/);
  });

  test('two content types', async () => {
    service = await startTestService();
    const head = [
      `Authorization: Bearer ${service.developmentKey}`,
      'Content-Type: application/json',
      'Content-Type: text/plain',
      `Content-Length: ${body.length}`,
    ];
    expect(await raw(service.url, head, body)).toMatch(/^HTTP\/1\.1 415 /);
  });

  test('a transfer encoding besides chunked', async () => {
    service = await startTestService();
    const head = [
      `Authorization: Bearer ${service.developmentKey}`,
      'Content-Type: application/json',
      'Transfer-Encoding: gzip, chunked',
    ];
    const answer = await raw(service.url, head, `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).not.toContain('"decision"');
  });
});

test('a store that takes no commits makes the service unready, and the log says so', async () => {
  let isFull = false;
  service = await startTestService({
    settings: { logLevel: 'warn' },
    throughStore: (store) => ({
      ...store,
      commit: (...asked) =>
        isFull
          ? Promise.reject(new StoreUnavailable('full', 'the disk is full; make room'))
          : store.commit(...asked),
    }),
  });
  expect((await ask(`${service.url}/readyz`)).status).toBe(200);
  isFull = true;
  expect((await check(service, ALLOWED)).status).toBe(503);
  expect((await ask(`${service.url}/readyz`)).body.error.code).toBe('store_unavailable');
  expect(service.logged()).toContain('the disk is full; make room');
  isFull = false;
  expect((await check(service, ALLOWED)).body.decision).toBe('allow');
  expect((await ask(`${service.url}/readyz`)).status).toBe(200);
  expect(service.logged()).toContain('recorded and returned again');
});

test('a clock far behind the log makes the service unready', async () => {
  let nowMs = Date.parse('2026-11-15T12:00:00Z');
  service = await startTestService({ clock: () => nowMs });
  await check(service, ALLOWED);
  nowMs -= 61_000;
  expect((await ask(`${service.url}/readyz`)).body.error.code).toBe('clock_behind');
});

test('a long unknown name is not repeated at full length', async () => {
  service = await startTestService();
  const { text } = await check(service, { ...ALLOWED, ['x'.repeat(20_000)]: 1 });
  expect(text).toContain(`\`${'x'.repeat(64)}…\``);
  expect(text.length).toBeLessThan(10_000);
});

describe('a name with an escape, after another one that misleads JSON.parse', () => {
  /** If it is sent before the other, V8 reads `name` as its own first characters. */
  const decoyFor = (name: string, escaped: string) =>
    `{"q1":1,"\\${escaped.slice(0, name.length)}":1,"system":"payroll","operation":"o","f1":1,"f2":1,"f3":1,"f4":1}`;
  const hiding = (member: string, escaped: string, value: string) => {
    const others = { objectType: 't', objectRef: 'R-1', system: 'payroll', field: 'f', agentValue: 'x' };
    const rest = Object.entries(others).filter(([name]) => name !== member);
    return `{"q1":1,"${escaped}":"${value}",${JSON.stringify(Object.fromEntries(rest)).slice(1, -1)},"requiredControls":[],"controlEvidence":[]}`;
  };

  test.each([
    ['system', '\\u0073ystem', 'payroll'],
    ['objectRef', '\\u006fbjectRef', 'R-1'],
  ])('hides no decision from the lists: %s', async (member, escaped, value) => {
    service = await startTestService();
    const { url, liveKey: key, ownerKey } = service;
    const send = (body: string) =>
      ask(`${url}/v1/check-write`, {
        key,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
    for (let i = 0; i < 3; i += 1) expect((await send(decoyFor(member, escaped))).status).toBe(200);
    const hidden = await send(hiding(member, escaped, value));
    expect(hidden.status).toBe(200);
    const found = await ask(`${url}/v1/decisions?system=payroll&objectRef=R-1`, { key: ownerKey });
    expect(found.body.decisions).toHaveLength(1);
    expect(found.body.decisions[0]).toMatchObject({ system: 'payroll', objectRef: 'R-1' });
  });
});

describe('a policy that makes records of megabytes', () => {
  const { requiredControls: _none, controlEvidence: _neither, ...intent } = ALLOWED;
  const pack = (count: number, control: object) => ({
    ...{ kind: 'ControlPack', id: 'pack', version: '1' },
    controls: Object.fromEntries(Array.from({ length: count }, (_, i) => [`control-${i}`, control])),
  });
  const profile = (id: string, count: number) => ({
    ...{ kind: 'Profile', id, version: '1', controlPack: 'pack', match: { system: 'crm' } },
    ...{ require: Array.from({ length: count }, (_, i) => `control-${i}`), writePolicy: 'observe' },
  });
  /** As many requirements as may apply to one write. */
  const PROFILES = Array.from({ length: 9 }, (_, i) => profile(`profile-${i}-`.padEnd(250, 'x'), 55));
  const SOURCES = Array.from({ length: 256 }, (_, i) => `source-${i}-`.padEnd(60, 'x'));

  const apply = async ({ url, ownerKey }: TestService, documents: readonly object[]) => {
    const json = { documents };
    expect((await ask(`${url}/v1/policies`, { method: 'PUT', key: ownerKey, json })).status).toBe(200);
  };
  test('recorded decisions can be read again, also after a restart', async () => {
    service = await startTestService();
    const { url, ownerKey, liveKey, folder } = service;
    const defaults = { kind: 'Defaults', writePolicy: 'observe' };
    await apply(service, [defaults, pack(55, { sources: SOURCES }), ...PROFILES]);
    const one = await check(service, intent, { key: liveKey });
    expect(one.body).toMatchObject({ decision: 'allow', warn: true });
    expect(one.text.length).toBeGreaterThan(1_000_000);
    const detail = await ask(`${url}/v1/decisions/${one.body.decision_id}`, { key: ownerKey });
    expect(detail.status).toBe(200);

    // Each is decided and stored, or refused with a retry time. A busy machine refuses all of some rounds.
    let allowed = 0;
    while (allowed === 0) {
      const many = await Promise.all(
        Array.from({ length: 16 }, () => check(service!, intent, { key: liveKey })),
      );
      allowed = many.filter(({ body }) => body.decision === 'allow').length;
      for (const { status, body } of many) if (body.decision !== 'allow') expect(status).toBe(503);
    }
    const beside = await startTestService({ folder });
    const listed = await ask(`${beside.url}/v1/decisions?limit=100`, { key: ownerKey });
    await beside.stop();
    expect(listed.status).toBe(200);
    expect(listed.body.decisions.length).toBeGreaterThanOrEqual(1 + allowed);
  });
});

test('an export ends at a segment that holds less than it claims, and the log names it', async () => {
  service = await startTestService();
  const { url, ownerKey, folder } = service;
  for (let i = 0; i < 3; i += 1) await check(service, ALLOWED);
  const db = new Database(join(folder, 'writecheck.db'));
  db.prepare('UPDATE segment SET body = ? WHERE position = 1').run(Buffer.alloc(4));
  db.close();
  // The earlier part is cut off, so that nobody takes it for a complete export.
  await expect(ask(`${url}/v1/audit/export`, { key: ownerKey })).rejects.toThrow();
  expect(service.logged()).toContain(
    'the segment at position 1: it does not have as many entries as its row says',
  );
});

test('a secret pasted as a name is refused everywhere, not echoed and not stored', async () => {
  service = await startTestService();
  const { url, ownerKey } = service;
  const person = { email: 'ada@example.com', roles: ['reviewer'] };
  const hook = { url: 'https://example.com/hook', events: ['test'] };
  for (const secret of [ownerKey, `my key: ${ownerKey}`, ownerKey.slice(0, 20), `whsec_${'A'.repeat(32)}`]) {
    const refused = [
      ['name', ask(`${url}/v1/workspaces`, { json: { name: secret } })],
      ['name', ask(`${url}/v1/keys`, { key: ownerKey, json: { kind: 'live', name: secret } })],
      ['name', ask(`${url}/v1/people`, { key: ownerKey, json: { ...person, name: secret } })],
      [
        'groups',
        ask(`${url}/v1/people`, { key: ownerKey, json: { ...person, name: 'Ada', groups: [secret] } }),
      ],
      ['description', ask(`${url}/v1/webhooks`, { key: ownerKey, json: { ...hook, description: secret } })],
    ] as const;
    for (const [member, reply] of refused) {
      const { status, body, text } = await reply;
      expect([status, body.error.code, body.error.details[0].pointer]).toEqual([
        422,
        'invalid_request',
        `/${member}`,
      ]);
      expect(text).not.toContain(secret.slice(-12));
    }
  }
  expect((await signUp(service, 'keys of wck')).workspace.name).toBe('keys of wck');
});
