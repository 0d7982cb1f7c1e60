/**
 * Once a revocation has its response, nothing is changed or decided for that key or session: on every thread
 * and every replica.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@writecheck/store/port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { makeFirstWorkspace } from '../../src/runtime/open-store.ts';
import { ALLOWED, ask } from '../ask.ts';
import { type Answered, callersOf, requestOf } from '../load.ts';
import { newMember } from '../member-kit.ts';
import { askAll, CONNECTIONS, codesOf, endAll, startThreads } from '../running/threads-kit.ts';
import { startTestService, type TestService } from '../start-service.ts';

const NEW_KEY = { kind: 'owner', name: 'made with a stolen key' };
const ROUNDS = 5;

/** All of them, and at least one because of the revocation: a busy machine may refuse the others first. */
function expectRefused(answers: readonly Answered[]): void {
  expect(codesOf(answers).filter((code) => code !== '503 store_unavailable')).toEqual(['401 key_revoked']);
}

interface Started {
  /** One for each process. */
  readonly urls: readonly string[];
  readonly store: Store;
  readonly workspace: string;
  readonly owner: string;
  readonly stop: () => Promise<void>;
}

async function threeThreads(): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-revocation-'));
  const service = await startThreads({ data: folder, trustProxy: '127.0.0.1' });
  const first = (await makeFirstWorkspace(service.store, Date.now()))!;
  return {
    urls: [service.url],
    store: service.store,
    workspace: first.workspace.id,
    owner: first.ownerKey,
    async stop() {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function twoReplicas(): Promise<Started> {
  const server: TestServer = await startTestServer();
  const settings = { databaseUrl: await server.newDatabase(), trustProxy: '127.0.0.1' };
  const one: TestService = await startTestService({ settings });
  const two: TestService = await startTestService({ settings });
  return {
    urls: [one.url, two.url],
    store: one.store,
    workspace: one.workspace,
    owner: one.ownerKey,
    async stop() {
      await Promise.all([one.stop(), two.stop()]);
      await server.remove();
    },
  };
}

describe.each([
  ['three threads on SQLite', threeThreads],
  ['two replicas on PostgreSQL', twoReplicas],
] as const)('%s', (_, begin) => {
  let started: Started;
  beforeAll(async () => {
    started = await begin();
  }, 120_000);
  afterAll(() => started.stop());

  const newKey = async (kind: string): Promise<{ readonly id: string; readonly secret: string }> => {
    const json = { kind, name: kind };
    const { body } = await ask(`${started.urls[0]}/v1/keys`, { key: started.owner, json });
    return { id: body.key.id, secret: body.secret };
  };
  const revoke = async (id: string, url = started.urls[0]!): Promise<void> => {
    const { status } = await ask(`${url}/v1/keys/${id}`, { key: started.owner, method: 'DELETE' });
    expect(status).toBe(204);
  };
  let addresses = 0;
  /** From an address of its own: past a number of failed authentications, an address is told less. */
  const onAll = async (request: string) => {
    addresses += 1;
    const sent = request.replace('\r\n', `\r\nX-Forwarded-For: 203.0.113.${addresses}\r\n`);
    const count = CONNECTIONS / started.urls.length;
    return (await Promise.all(started.urls.map((url) => callersOf(url, sent, count)))).flat();
  };
  const unrevoked = async (): Promise<number> =>
    (await started.store.listKeys(started.workspace)).filter(({ revokedAtMs }) => revokedAtMs === null)
      .length;

  test('a revoked owner key creates no key, on whichever thread or replica it was used before', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, secret } = await newKey('owner');
      const reading = await onAll(requestOf(secret, {}, '/v1/policies').replace('POST', 'GET'));
      for (const caller of reading) expect((await caller.ask()).status).toBe(200);
      endAll(reading);
      const making = await onAll(requestOf(secret, NEW_KEY, '/v1/keys'));
      await revoke(id);
      const before = await unrevoked();
      expectRefused(await askAll(making));
      endAll(making);
      expect(await unrevoked()).toBe(before);
    }
  });

  test('work in progress when the key was revoked was finished before the response, or not at all', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, secret } = await newKey('owner');
      const making = await onAll(requestOf(secret, { kind: 'development', name: 'raced' }, '/v1/keys'));
      const answers: Answered[] = [];
      const first = Promise.withResolvers<void>();
      let isAnswered = false;
      // Each asks until it is refused, so the revocation meets work in progress, however long it takes.
      const racing = making.map(async (caller) => {
        for (;;) {
          const isAfter = isAnswered;
          const answer = await caller.ask();
          answers.push(answer);
          first.resolve();
          if (isAfter || answer.status === 401) return;
        }
      });
      await first.promise;
      await revoke(id, started.urls.at(-1));
      isAnswered = true;
      const answered = await unrevoked();
      await Promise.all(racing);
      endAll(making);
      expect(await unrevoked()).toBe(answered);
      expect(codesOf(answers)).toEqual(expect.arrayContaining(['201', '401 key_revoked']));
      const raced = (await started.store.listKeys(started.workspace)).filter(
        ({ name, revokedAtMs }) => name === 'raced' && revokedAtMs === null,
      );
      expect(raced).toHaveLength(answers.filter(({ status }) => status === 201).length);
      await Promise.all(raced.map((key) => revoke(key.id)));
    }
  });

  test('nothing is decided for a revoked live key, however many checks are in progress', async () => {
    const { id, secret } = await newKey('live');
    const callers = await onAll(requestOf(secret, ALLOWED));
    expect(codesOf(await askAll(callers))).toEqual(['200']);
    let isAnswered = false;
    const late: number[] = [];
    const lanes = callers.map(async (caller) => {
      for (;;) {
        const isAfter = isAnswered;
        const { status } = await caller.ask();
        if (isAfter) late.push(status);
        if (isAfter || status !== 200) return;
      }
    });
    await revoke(id);
    isAnswered = true;
    await Promise.all(lanes);
    expect(late.filter((status) => status === 200)).toEqual([]);
    // All may have been refused before the revocation had its response.
    expectRefused(await askAll(callers));
    endAll(callers);
  });

  test('an ended session changes nothing', async () => {
    const service = { url: started.urls[0]!, ownerKey: started.owner, store: started.store } as TestService;
    const { token } = await newMember(service, ['owner'], Date.now());
    const making = await onAll(requestOf(token, { kind: 'development', name: 'signed out' }, '/v1/keys'));
    const racing = askAll(making.slice(0, making.length / 2));
    const { status } = await ask(`${started.urls.at(-1)}/v1/sessions/current`, {
      key: token,
      method: 'DELETE',
    });
    expect(status).toBe(204);
    const answered = await unrevoked();
    await racing;
    expectRefused(await askAll(making.slice(making.length / 2)));
    endAll(making);
    expect(await unrevoked()).toBe(answered);
  });
});
