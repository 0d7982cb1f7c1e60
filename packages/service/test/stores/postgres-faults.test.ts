import { Frontier, leafHash } from '@writecheck/ledger';
import { type CommitRequest, type Store, StoreUnavailable } from '@writecheck/store/port';
import { openPostgresStore } from '@writecheck/store/postgres/postgres-store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  COMMAND_LINE,
  commitTo,
  newKey,
  newRequest,
  newWorkspace,
} from '../../../store/test/store-contract/store-contract-values.ts';
import { onServer, startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { Authenticator } from '../../src/features/keys/authenticate.ts';
import { knownWithin } from '../known-within.ts';
import { untilAnswering } from '../postgres-process.ts';
import { CUTS, CutProxy } from './cut-proxy.ts';

let server: TestServer;
let proxy: CutProxy;
/** Behind the proxy. */
let store: Store;
/** Compared with the actual content. */
let witness: Store;
let workspace: string;
let url: string;

beforeAll(async () => {
  server = await startTestServer({ isOwn: true });
  url = await server.newDatabase();
  proxy = await CutProxy.to(server.port);
  store = await openPostgresStore(proxy.through(url));
  witness = await openPostgresStore(url);
  const made = newWorkspace();
  workspace = made.workspace.id;
  await store.createWorkspace(made.workspace, made.keys);
});
afterAll(async () => {
  await Promise.all([store.close(), witness.close()]);
  await proxy.close();
  await server.remove();
});

const requireWholeLogs = async (): Promise<number> => {
  let records = 0;
  for (const { log, size, frontier } of await witness.logs()) {
    const tree = new Frontier();
    while (tree.size < size) {
      const segments = await witness.segments(log, tree.size, 100);
      for (const { entries } of segments) for (const { leaf } of entries) tree.append(leafHash(leaf));
    }
    expect(Buffer.from(tree.toBytes())).toEqual(Buffer.from(frontier));
    records += size;
  }
  return records;
};

const commitUntilDone = async (request: CommitRequest) => {
  const deadlineMs = performance.now() + 10_000;
  for (;;) {
    try {
      return (await commitTo(store, [request]))[0]!;
    } catch (error) {
      expect(error).toBeInstanceOf(StoreUnavailable);
      if (performance.now() > deadlineMs) throw error;
    }
  }
};

describe('a connection that is cut', () => {
  for (const step of CUTS) {
    test(`${step}: the unknown outcome is reported, nothing is recorded twice, and it recovers by itself`, async () => {
      const item = { source: 'okta', jti: step };
      const atMs = await witness.newestAtMs();
      const claim = { key: step, response: `answer ${step}`, expiresAtMs: atMs + 1e9 };
      const request = newRequest(workspace, {
        keyKind: 'development',
        limit: 1_000,
        claim,
        consumes: [item],
      });
      const before = await requireWholeLogs();
      const used = async () => (await witness.usage(workspace, '2026-11')).development;
      const usedBefore = await used();

      const isCut = proxy.cut(step);
      const first = commitTo(store, [request]);
      const failed = await first.then(
        () => null,
        (error: unknown) => error,
      );
      await isCut;
      // INVARIANT: whatever happened to the connection, the caller got no outcome to respond with. A new
      // connection may belong to another request, and then the commit succeeded.
      const isForAnybody = step === 'on_connect' || step === 'in_authentication';
      if (failed !== null || !isForAnybody) expect(failed).toBeInstanceOf(StoreUnavailable);

      // The same request again, as from a caller with an idempotency key.
      const again = await commitUntilDone(request);
      if (again.kind === 'twin') expect(Buffer.from(again.stored.response).toString()).toBe(`answer ${step}`);
      else expect(again.kind).toBe('committed');
      if (step === 'after_commit' || step === 'half_answer') expect(again.kind).toBe('twin');
      if (step === 'before_commit' || step === 'half_commit') expect(again.kind).toBe('committed');
      expect(await used()).toBe(usedBefore + 1);
      expect(await requireWholeLogs()).toBe(before + 1);
      // Another request with the same attestation comes too late, whether or not the first got a response.
      const late = newRequest(workspace, { consumes: [item] });
      expect((await commitUntilDone(late)).kind).toBe('decide_again');
    });
  }

  test('after a redemption: it counts, and the same key gets the same response', async () => {
    const redemption = {
      ...{
        workspace,
        decisionId: `dec_${'0'.repeat(32)}`,
        keyId: 'key_1',
        keyKind: 'live' as const,
        atMs: 5,
      },
      ...{
        idempotency: { key: 'r', requestDigest: 'd', expiresAtMs: 1_000 },
        decidedAtMs: 5,
        intentDigest: `sha256:${'1'.repeat(64)}`,
        policyRef: null,
        restsOn: [],
      },
      validUntilMs: 10,
      answer: { expiresAtMs: 0, keptUntilMs: 1_000 },
      freezeNumber: 0,
      isFrozen: false,
    };
    expect(await store.redeem(redemption)).toEqual({ kind: 'redeemed', redeemedAtMs: 5 });
    proxy.hangUp();
    await store.redeem(redemption).catch(() => undefined);
    expect(await store.redeem({ ...redemption, atMs: 99 })).toEqual({ kind: 'same', redeemedAtMs: 5 });
    expect(await witness.redeem({ ...redemption, idempotency: null })).toEqual({
      kind: 'already_redeemed',
    });
  });

  test('caches forget everything while changes cannot be followed', async () => {
    const told: string[] = [];
    const stop = store.watch(({ kind }) => told.push(kind));
    proxy.lead(1);
    proxy.hangUp();
    await expect.poll(() => told.filter((kind) => kind === 'everything').length).toBeGreaterThan(1);
    await expect(store.findKey('0')).rejects.toBeInstanceOf(StoreUnavailable);
    expect((await store.health()).kind).toBe('failing');
    proxy.lead(server.port);
    await expect.poll(async () => (await store.health()).kind).toBe('ok');
    stop();
  });
});

describe('a database that lost its newest changes', () => {
  test.each(['a cut connection', 'no cut connection'])(
    'is noticed, with %s: a key that it revokes next is refused within a second',
    async (how) => {
      const [first, second] = [newKey('live'), newKey('live')];
      await store.createKey(workspace, first, COMMAND_LINE);
      await store.createKey(workspace, second, COMMAND_LINE);
      const keys = new Authenticator(store, () => Infinity);
      const stop = store.watch(
        ({ kind }) => kind !== 'policy' && keys.forgetAll(),
        (atMs) => keys.unchanged(atMs),
      );
      const codeOf = async (digest: string) => {
        const known = await keys.authenticate({ kind: 'secret', digest }, 20, false);
        return known.kind === 'refused' ? known.code : known.kind;
      };
      await witness.revokeKey(workspace, first.id, 10, COMMAND_LINE);
      const refused = (digest: string) =>
        knownWithin(
          1_000,
          // Retries until it is connected again.
          () => untilAnswering(() => codeOf(digest)),
          (code) => code !== 'actor',
        );
      expect(await refused(first.hash)).toBe('key_revoked');
      expect(await codeOf(second.hash)).toBe('actor');
      // Simulates a failover to a replica that was one transaction behind, or a restore.
      await onServer(url, async (client) => {
        await client.query(
          `BEGIN;
           DELETE FROM writecheck.change WHERE number = (SELECT newest FROM writecheck.change_count);
           UPDATE writecheck.change_count SET newest = newest - 1;
           COMMIT`,
        );
      });
      if (how === 'a cut connection') proxy.hangUp();
      else await new Promise((resolve) => setTimeout(resolve, 500));
      await witness.revokeKey(workspace, second.id, 30, COMMAND_LINE);
      expect(await refused(second.hash)).toBe('key_revoked');
      stop();
    },
  );
});

/** Its writer's lease has ended and cannot be renewed; the leases of other logs last. */
const silence = (log: string): string => `
  UPDATE writecheck.log SET leased_until = CASE log WHEN '${log}' THEN timestamptz '-infinity' ELSE 'infinity' END;
  CREATE FUNCTION writecheck.silence() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NEW.leased_until := '-infinity'; RETURN NEW; END $$;
  CREATE TRIGGER silence BEFORE UPDATE ON writecheck.log FOR EACH ROW
    WHEN (OLD.log = '${log}' AND OLD.writer = NEW.writer) EXECUTE FUNCTION writecheck.silence()`;

describe('a log', () => {
  test('is taken over if its writer went silent, and the old writer continues with another', async () => {
    const { log } = store;
    await commitUntilDone(newRequest(workspace));
    await onServer(url, (client) => client.query(silence(log)));
    const heir = await openPostgresStore(url);
    await onServer(url, (client) => client.query('DROP TRIGGER silence ON writecheck.log'));
    expect(heir.log).toBe(log);
    await commitTo(heir, [newRequest(workspace)]);
    const outcome = await commitUntilDone(newRequest(workspace));
    expect(outcome.kind).toBe('committed');
    expect(store.log).not.toBe(log);
    await requireWholeLogs();
    await heir.close();
  });
});
