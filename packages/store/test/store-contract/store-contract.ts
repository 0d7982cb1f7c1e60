/** What every store must do, as one suite: each implementation runs it against itself. */
import { isDeepStrictEqual } from 'node:util';
import { Frontier, leafHash, parseEntry, parseLeaf } from '@writecheck/ledger';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORKED, ForkAlarm } from '../../src/append-guard.ts';
import { ActingEnded } from '../../src/port/acting.ts';
import { RENAMES_MAX } from '../../src/port/keys.ts';
import type { NewOutcome } from '../../src/port/outcomes.ts';
import { KEY_EPOCH, standingName } from '../../src/port/people.ts';
import {
  type Change,
  type CommitRequest,
  type CommitResult,
  type Committed,
  type Store,
  StoreUnavailable,
  UNREVOKED_KEYS_MAX,
} from '../../src/port.ts';
import { APPENDING } from '../../src/tables/operations.ts';
import { describeLogKeeping, testContinuedLog } from './store-contract-log.ts';
import { describePeople } from './store-contract-people.ts';
import { describeReviews } from './store-contract-reviews.ts';
import {
  COMMAND_LINE,
  commitTo,
  digestNamed,
  idOf,
  newKey,
  newRequest,
  newWorkspace,
  textOf,
} from './store-contract-values.ts';
import { describeWebhooks } from './store-contract-webhooks.ts';
import { describeWorkspaces } from './store-contract-workspaces.ts';

export interface StoreUnderTest {
  /** Opens the same store again at each call. */
  open(): Promise<Store>;
  remove(): Promise<void>;
}

const committed = (outcome: CommitResult | undefined): Committed => {
  if (outcome?.kind !== 'committed')
    throw new Error(`expected a committed decision, got ${JSON.stringify(outcome)}`);
  return outcome;
};

interface UsedStore {
  readonly store: () => Store;
  /** Opens it once more. */
  readonly other: () => Promise<Store>;
  /** Reopens the store after a test has closed it. */
  readonly reopen: () => Promise<Store>;
  /** A new workspace. */
  readonly made: () => Promise<string>;
}

/** Makes a store for the tests of the `describe` that calls it. */
function useStore(makeStore: () => Promise<StoreUnderTest>): UsedStore {
  let under: StoreUnderTest;
  let store: Store;
  beforeAll(async () => {
    under = await makeStore();
    store = await under.open();
  });
  afterAll(async () => {
    await store.close();
    await under.remove();
  });
  return {
    store: () => store,
    other: () => under.open(),
    async reopen() {
      store = await under.open();
      return store;
    },
    async made() {
      const { workspace, keys } = newWorkspace();
      await store.createWorkspace(workspace, keys);
      return workspace.id;
    },
  };
}

export const describeStore = (name: string, makeStore: () => Promise<StoreUnderTest>): void => {
  describe(name, () => {
    const used = useStore(makeStore);
    const { other, reopen, made } = used;
    let store: Store;
    beforeAll(() => {
      store = used.store();
    });

    /** Checks the growing log; returns its size. */
    const expectFrontier = async (): Promise<number> => {
      const head = (await store.logs()).find(({ log }) => log === store.log)!;
      const frontier = new Frontier();
      for (let from = 0; from < head.size; ) {
        const [segment] = await store.segments(store.log, from, 1);
        for (const { leaf } of segment!.entries) frontier.append(leafHash(leaf));
        from = segment!.firstIndex + segment!.entries.length;
      }
      expect(frontier.size).toBe(head.size);
      expect(Buffer.from(head.frontier)).toEqual(Buffer.from(frontier.toBytes()));
      return head.size;
    };

    test('once the log is not the signed one, nothing is appended and no kept response is returned', async () => {
      const guarded = await other();
      const alarm = new ForkAlarm();
      guarded.guardAppending(alarm);
      alarm.raise();
      for (const name of ['commit', 'findAnswer', ...Object.keys(APPENDING)]) {
        const append = guarded[name as keyof Store] as (...args: readonly unknown[]) => Promise<unknown>;
        await expect(append([]), name).rejects.toMatchObject({ why: 'lost', message: FORKED });
      }
      await guarded.close();
    });

    test('an append during which the alarm was raised is not acknowledged', async () => {
      const guarded = await other();
      const alarm = new ForkAlarm();
      guarded.guardAppending(alarm);
      const committing = commitTo(guarded, [newRequest(await made())]);
      alarm.raise();
      await expect(committing).rejects.toMatchObject({ why: 'lost' });
      await guarded.close();
    });

    describe('workspaces and keys', () => {
      test('a workspace is created with its keys, and only once', async () => {
        const { workspace, keys } = newWorkspace();
        expect(await store.createWorkspace(workspace, keys)).toEqual({ kind: 'created' });
        expect(await store.createWorkspace(workspace, keys)).toEqual({ kind: 'exists' });
        expect(await store.findWorkspace(workspace.id)).toEqual(workspace);
        expect((await store.listKeys(workspace.id)).map(({ id }) => id)).toEqual(keys.map(({ id }) => id));
        expect((await store.listWorkspaces(1_000)).map(({ id }) => id)).toContain(workspace.id);
        expect(await store.findWorkspace(idOf('ws_'))).toBeNull();
      });

      test('a renamed workspace keeps its newest names with who gave them; its own name changes nothing', async () => {
        const [workspace, another] = [await made(), await made()];
        const { name: before } = (await store.findWorkspace(another))!;
        const by = { kind: 'owner_key', id: (await store.listKeys(workspace))[0]!.id } as const;
        const rename = (name: string, atMs: number) => store.renameWorkspace(workspace, name, by, atMs);
        const startMs = (await store.newestAtMs()) + 1_000;
        for (let at = 0; at <= RENAMES_MAX; at += 1)
          expect(await rename(`Käse ${at}`, startMs + at)).toBe(true);
        const names = await store.listRenames(workspace);
        expect(await rename(`Käse ${RENAMES_MAX}`, startMs + 100)).toBe(true);
        expect(await store.listRenames(workspace)).toEqual(names);
        expect((await store.findWorkspace(workspace))?.name).toBe(`Käse ${RENAMES_MAX}`);
        expect(names).toEqual(
          Array.from({ length: RENAMES_MAX }, (_, i) => ({
            name: `Käse ${i + 1}`,
            atMs: startMs + i + 1,
            by,
          })),
        );
        const [entry, ...more] = await store.entriesAt(workspace, startMs + 1);
        expect(parseEntry(entry!.leaf)).toMatchObject({ kind: 'workspace.renamed', workspace, by });
        expect([more, await store.entriesAt(workspace, startMs + 100)]).toEqual([[], []]);
        expect([(await store.findWorkspace(another))?.name, await store.listRenames(another)]).toEqual([
          before,
          [],
        ]);
        expect(await store.renameWorkspace(idOf('ws_'), 'x', by, startMs)).toBe(false);
      });

      test('a revoked key renames nothing', async () => {
        const workspace = await made();
        const { name } = (await store.findWorkspace(workspace))!;
        const key = newKey('owner');
        await store.createKey(workspace, key, COMMAND_LINE);
        await store.revokeKey(workspace, key.id, 2, COMMAND_LINE);
        const renaming = store.renameWorkspace(workspace, 'theirs', { kind: 'owner_key', id: key.id }, 3);
        await expect(renaming).rejects.toBeInstanceOf(ActingEnded);
        expect((await store.findWorkspace(workspace))?.name).toBe(name);
      });

      test('a first workspace is created only if there is none', async () => {
        await made();
        const { workspace, keys } = newWorkspace();
        expect(await store.createWorkspace(workspace, keys, { onlyIfNone: true })).toEqual({
          kind: 'exists',
        });
        expect(await store.findWorkspace(workspace.id)).toBeNull();
      });

      test('a key is found by its hash with all its members', async () => {
        const workspace = await made();
        const key = {
          ...newKey('live'),
          allowedSystems: ['crm', 'erp'],
          allowedWorkflows: ['w'],
          expiresAtMs: 9e12,
        };
        expect((await store.createKey(workspace, key, COMMAND_LINE)).kind).toBe('created');
        expect(await store.findKey(key.hash)).toEqual({
          ...key,
          workspace,
          lastUsedAtMs: null,
          revokedAtMs: null,
          rotatedAtMs: null,
          rotatedFrom: null,
          heldBy: null,
          madeBy: null,
          revokedBy: null,
          roles: null,
          lineage: key.id,
          isHolderDisabled: false,
          standing: { state: 'active', isSelfServe: false },
        });
        expect(await store.findKey('0'.repeat(64))).toBeNull();
        expect((await store.createKey(idOf('ws_'), newKey('live'), COMMAND_LINE)).kind).toBe(
          'no_such_workspace',
        );
      });

      test('a workspace holds no more than the maximum of unrevoked keys, even in a race', async () => {
        const workspace = await made();
        const before = (await store.listKeys(workspace)).length;
        const free = 3;
        for (let count = before; count < UNREVOKED_KEYS_MAX - free; count += 1) {
          expect((await store.createKey(workspace, newKey('development'), COMMAND_LINE)).kind).toBe(
            'created',
          );
        }
        const racing = Array.from({ length: 12 }, () =>
          store.createKey(workspace, newKey('development'), COMMAND_LINE),
        );
        const created = (await Promise.all(racing)).filter(({ kind }) => kind === 'created');
        expect(created).toHaveLength(free);
        const [first] = created;
        if (first?.kind !== 'created') throw new Error('unreachable');
        await store.revokeKey(workspace, first.key.id, 1, COMMAND_LINE);
        expect((await store.createKey(workspace, newKey('development'), COMMAND_LINE)).kind).toBe('created');
      });

      test('revoking keeps its first time and author, and another workspace does not see the key', async () => {
        const workspace = await made();
        const key = newKey('development');
        const [owner] = (await store.listKeys(workspace)).filter(({ kind }) => kind === 'owner');
        const first = { kind: 'owner_key', id: owner!.id } as const;
        await store.createKey(workspace, key, COMMAND_LINE);
        expect(await store.revokeKey(await made(), key.id, 5, COMMAND_LINE)).toEqual({ kind: 'not_found' });
        const revoked = { kind: 'revoked' };
        expect(await store.revokeKey(workspace, key.id, 5, first)).toEqual(revoked);
        expect(await store.revokeKey(workspace, key.id, 9, COMMAND_LINE)).toEqual(revoked);
        expect(await store.findKey(key.hash)).toMatchObject({ revokedAtMs: 5, revokedBy: first });
      });

      test('no allow that rests on an approval of a revoked owner key commits', async () => {
        const workspace = await made();
        const key = newKey('owner');
        await store.createKey(workspace, key, COMMAND_LINE);
        const restsOn = [standingName({ id: key.id, epoch: KEY_EPOCH })];
        expect((await commitTo(store, [newRequest(workspace, { restsOn })]))[0]?.kind).toBe('committed');
        await store.revokeKey(workspace, key.id, 5, COMMAND_LINE);
        expect(await store.attestationStates(workspace, restsOn)).toMatchObject([{ revoked: true }]);
        const conflict = [{ kind: 'decide_again' }];
        expect(await commitTo(store, [newRequest(workspace, { restsOn })])).toEqual(conflict);
      });

      test('a lasting owner key remains if all of them are revoked concurrently', async () => {
        const { workspace, keys } = newWorkspace();
        await store.createWorkspace(workspace, keys);
        const owners = Array.from({ length: 9 }, () => newKey('owner'));
        for (const key of owners) await store.createKey(workspace.id, key, COMMAND_LINE);
        await store.createKey(workspace.id, { ...newKey('owner'), expiresAtMs: 9e12 }, COMMAND_LINE);
        const all = [...owners, ...keys.filter(({ kind }) => kind === 'owner')];
        const outcomes = await Promise.all(
          all.map(({ id }) => store.revokeKey(workspace.id, id, 5, COMMAND_LINE)),
        );
        expect(outcomes.filter(({ kind }) => kind === 'last_owner_key')).toHaveLength(1);
      });

      test('rotation hands over kind, name, limits and expiry, and gives the old key its grace', async () => {
        const workspace = await made();
        const key = { ...newKey('live'), allowedSystems: ['crm'] };
        await store.createKey(workspace, key, COMMAND_LINE);
        const { id, hash, hint } = newKey('live');
        const replacement = { id, hash, hint };
        const rotation = {
          workspace,
          keyId: key.id,
          nowMs: 50,
          oldExpiresAtMs: 3_650,
          replacement,
          by: COMMAND_LINE,
        };
        const rotated = await store.rotateKey(rotation);
        if (rotated.kind !== 'rotated') throw new Error(rotated.kind);
        expect(rotated.key).toMatchObject({ ...key, ...replacement, createdAtMs: 50, expiresAtMs: null });
        expect(await store.findKey(key.hash)).toMatchObject({ expiresAtMs: 3_650, rotatedAtMs: 50 });
        expect(await store.findKey(hash)).toMatchObject({
          rotatedAtMs: null,
          revokedAtMs: null,
          rotatedFrom: key.id,
        });
      });

      const rotationOf = (workspace: string, keyId: string, nowMs = 50) => {
        const { id, hash, hint } = newKey('live');
        return {
          workspace,
          keyId,
          nowMs,
          oldExpiresAtMs: nowMs + 100,
          replacement: { id, hash, hint },
          by: COMMAND_LINE,
        };
      };

      test('of many concurrent rotations of one key, one succeeds', async () => {
        const workspace = await made();
        const key = newKey('live');
        await store.createKey(workspace, key, COMMAND_LINE);
        const before = (await store.listKeys(workspace)).length;
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, () => store.rotateKey(rotationOf(workspace, key.id))),
        );
        expect(outcomes.filter(({ kind }) => kind === 'rotated')).toHaveLength(1);
        expect(outcomes.filter(({ kind }) => kind !== 'rotated')).toEqual(
          Array(19).fill({ kind: 'not_active', because: 'rotated' }),
        );
        expect(await store.listKeys(workspace)).toHaveLength(before + 1);
      });

      test('a rotated, expired or revoked key is not rotated, but its replacement is', async () => {
        const workspace = await made();
        const key = { ...newKey('live'), expiresAtMs: 5_000 };
        await store.createKey(workspace, key, COMMAND_LINE);
        const rotate = (keyId: string, nowMs?: number) =>
          store.rotateKey(rotationOf(workspace, keyId, nowMs));
        const first = await rotate(key.id);
        const second = await rotate(first.kind === 'rotated' ? first.key.id : '');
        // Its original expiry, and not the end of a grace period.
        for (const one of [first, second])
          expect(one).toMatchObject({ kind: 'rotated', key: { expiresAtMs: 5_000 } });
        const refused = (because: string) => ({ kind: 'not_active', because });
        expect(await rotate(key.id)).toEqual(refused('rotated'));
        expect(await rotate(key.id, 4_999)).toEqual(refused('rotated'));
        expect((await store.findKey(key.hash))?.expiresAtMs).toBe(150);
        const newest = second.kind === 'rotated' ? second.key.id : '';
        expect(await rotate(newest, 5_000)).toEqual(refused('expired'));
        expect((await rotate(newest, 4_999)).kind).toBe('rotated');
        const gone = newKey('live');
        await store.createKey(workspace, gone, COMMAND_LINE);
        await store.revokeKey(workspace, gone.id, 5, COMMAND_LINE);
        expect(await rotate(gone.id)).toEqual(refused('revoked'));
        expect(await rotate(idOf('key_'))).toEqual({ kind: 'not_found' });
        expect(await store.rotateKey(rotationOf(await made(), newest))).toEqual({ kind: 'not_found' });
      });

      const rotatingTheOnlyOwner = async () => {
        const { workspace, keys } = newWorkspace();
        await store.createWorkspace(workspace, keys);
        const keyId = keys.find(({ kind }) => kind === 'owner')!.id;
        const { id, hash, hint } = newKey('owner');
        const base = { workspace: workspace.id, keyId, nowMs: 5, oldExpiresAtMs: 5 };
        return {
          rotate: () => store.rotateKey({ ...base, replacement: { id, hash, hint }, by: COMMAND_LINE }),
          revokeOld: () => store.revokeKey(workspace.id, keyId, 5, COMMAND_LINE),
          revokeNew: () => store.revokeKey(workspace.id, id, 6, COMMAND_LINE),
        };
      };

      test('rotating the only lasting owner key leaves a lasting owner key', async () => {
        const { rotate, revokeOld, revokeNew } = await rotatingTheOnlyOwner();
        expect((await rotate()).kind).toBe('rotated');
        expect((await revokeOld()).kind).toBe('revoked');
        expect(await revokeNew()).toEqual({ kind: 'last_owner_key' });
      });

      test('the same while somebody revokes it: whichever comes first, one is left', async () => {
        const { rotate, revokeOld, revokeNew } = await rotatingTheOnlyOwner();
        const [rotated, revoked] = await Promise.all([rotate(), revokeOld()]);
        expect(rotated.kind).toBe('rotated');
        // It is the last owner key before the rotation, and not after it.
        expect(['revoked', 'last_owner_key']).toContain(revoked.kind);
        expect(await revokeNew()).toEqual({ kind: 'last_owner_key' });
      });

      test('last use only moves forward', async () => {
        const workspace = await made();
        const key = newKey('live');
        await store.createKey(workspace, key, COMMAND_LINE);
        await store.touchKeys([{ keyId: key.id, atMs: 7 }]);
        await store.touchKeys([{ keyId: key.id, atMs: 3 }]);
        expect((await store.findKey(key.hash))?.lastUsedAtMs).toBe(7);
      });

      test('a grant of live keys is stored', async () => {
        const workspace = await made();
        const change = { workspace, by: COMMAND_LINE, atMs: 1 };
        expect(await store.grantLive(change)).toMatchObject({ kind: 'changed' });
        expect(await store.grantLive(change)).toEqual({ kind: 'unchanged' });
        expect((await store.findWorkspace(workspace))?.liveGranted).toBe(true);
        expect(await store.grantLive({ ...change, workspace: idOf('ws_') })).toEqual({
          kind: 'no_such_workspace',
        });
      });
    });

    describe('commit', () => {
      test('records are in the log as given, with matching leaves and hashes', async () => {
        const workspace = await made();
        const requests = Array.from({ length: 5 }, () => newRequest(workspace));
        const outcomes = await commitTo(store, requests);
        const first = committed(outcomes[0]);
        expect(first.log).toBe(store.log);
        expect(outcomes.map((outcome) => committed(outcome).leafIndex - first.leafIndex)).toEqual([
          0, 1, 2, 3, 4,
        ]);
        const segments = await store.segments(store.log, first.leafIndex, 1);
        expect(segments[0]?.firstIndex).toBe(first.leafIndex);
        for (const [i, { record, leaf }] of segments[0]!.entries.entries()) {
          expect(Buffer.from(record).toString()).toBe(textOf(requests[i]!.record));
          expect(parseLeaf(leaf)).toMatchObject({
            log: store.log,
            workspace,
            ...requests[i]!.leaf,
          });
          expect(Buffer.from(segments[0]!.leafHashes.subarray(32 * i, 32 * i + 32))).toEqual(
            Buffer.from(leafHash(leaf)),
          );
        }
      });

      test('the frontier is that of all leaves from the first on', async () => {
        const workspace = await made();
        await commitTo(store, [newRequest(workspace), newRequest(workspace)]);
        await commitTo(store, [newRequest(workspace)]);
        await expectFrontier();
      });

      test('segments are found from any leaf index, and there are none beyond the end', async () => {
        const workspace = await made();
        const outcomes = await commitTo(store, [
          newRequest(workspace),
          newRequest(workspace),
          newRequest(workspace),
        ]);
        const [segment] = await store.segments(store.log, committed(outcomes[1]).leafIndex, 1);
        expect(segment?.firstIndex).toBe(committed(outcomes[0]).leafIndex);
        const head = (await store.logs()).find(({ log }) => log === store.log)!;
        expect(await store.segments(store.log, head.size, 1)).toEqual([]);
        expect(await store.segments('log-unknown', 0, 1)).toEqual([]);
      });

      test('the newest time is that of the newest record', async () => {
        const workspace = await made();
        const newest = (await store.newestAtMs()) + 5_000;
        await commitTo(store, [
          newRequest(workspace, { atMs: newest }),
          newRequest(workspace, { atMs: newest - 1_000 }),
        ]);
        expect(await store.newestAtMs()).toBe(newest);
      });

      test('a quota admits exactly its number, in order, and refused requests leave no trace', async () => {
        const workspace = await made();
        const limited = () => newRequest(workspace, { keyKind: 'development', limit: 3 });
        const before = (await store.logs())[0]!.size;
        const outcomes = await commitTo(store, Array.from({ length: 5 }, limited));
        const kinds = outcomes.map(({ kind }) => kind);
        expect(kinds).toEqual(['committed', 'committed', 'committed', 'quota_exceeded', 'quota_exceeded']);
        expect(committed(outcomes[2]).used).toBe(3);
        const [over] = await commitTo(store, [limited()]);
        expect(over).toEqual({ kind: 'quota_exceeded', used: 3 });
        expect((await store.logs())[0]!.size).toBe(before + 3);
        expect(await store.usage(workspace, '2026-11')).toEqual({ development: 3, live: 0 });
      });

      test('development and live are counted separately, and each month from zero, to the millisecond in UTC', async () => {
        const workspace = await made();
        const lastOfMonth = Date.UTC(2027, 0, 31, 23, 59, 59, 999);
        const at = (atMs: number, keyKind: 'development' | 'live', limit: number | null) =>
          newRequest(workspace, { atMs, keyKind, limit });
        const outcomes = await commitTo(store, [
          at(lastOfMonth, 'development', 1),
          at(lastOfMonth, 'development', 1),
          at(lastOfMonth, 'live', null),
          at(lastOfMonth + 1, 'development', 1),
        ]);
        const kinds = outcomes.map(({ kind }) => kind);
        expect(kinds).toEqual(['committed', 'quota_exceeded', 'committed', 'committed']);
        expect(await store.usage(workspace, '2027-01')).toEqual({ development: 1, live: 1 });
        expect(await store.usage(workspace, '2027-02')).toEqual({ development: 1, live: 0 });
      });

      test('a kept response is found until it expires, and a twin gets it instead of a commit', async () => {
        const workspace = await made();
        const nowMs = await store.newestAtMs();
        const claim = (atMs: number, response: string) =>
          newRequest(workspace, { atMs, claim: { key: 'k', response, expiresAtMs: atMs + 1_000 } });
        const [first, second] = await commitTo(store, [claim(nowMs, 'one'), claim(nowMs, 'two')]);
        expect(first?.kind).toBe('committed');
        if (second?.kind !== 'twin') throw new Error('two under one key');
        expect(Buffer.from(second.stored.response).toString()).toBe('one');
        expect((await store.findAnswer(workspace, 'k', nowMs + 999))?.replayableWhile?.validUntilMs).toBe(
          nowMs + 500,
        );
        expect(await store.findAnswer(workspace, 'k', nowMs + 1_000)).toBeNull();
        expect(await store.findAnswer(await made(), 'k', nowMs)).toBeNull();
        const [third] = await commitTo(store, [claim(nowMs + 1_000, 'three')]);
        expect(third?.kind).toBe('committed');
        const stored = await store.findAnswer(workspace, 'k', nowMs + 1_000);
        expect(Buffer.from(stored!.response).toString()).toBe('three');
        expect(await store.usage(workspace, new Date(nowMs).toISOString().slice(0, 7))).toMatchObject({
          live: 2,
        });
      });

      test('a known key among new ones gets its response, and the others are recorded once', async () => {
        const workspace = await made();
        const atMs = await store.newestAtMs();
        const period = new Date(atMs).toISOString().slice(0, 7);
        const claim = (key: string, expiresAtMs = atMs + 1_000) =>
          newRequest(workspace, { atMs, claim: { key, response: `of ${key}`, expiresAtMs } });
        await commitTo(store, [claim('known'), claim('expired', atMs)]);
        const before = (await store.logs()).find(({ log }) => log === store.log)!.size;
        // More than once, because a store may guess that keys are new, and look them up after a wrong guess.
        for (const times of [1, 2]) {
          const group = [claim(`new ${times}`), claim('known'), claim(times === 1 ? 'expired' : 'other')];
          const outcomes = await commitTo(store, group);
          expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'twin', 'committed']);
          const size = (await store.logs()).find(({ log }) => log === store.log)!.size;
          expect(size).toBe(before + 2 * times);
        }
        expect(await store.usage(workspace, period)).toMatchObject({ live: 6 });
        expect((await store.findAnswer(workspace, 'expired', atMs))!.expiresAtMs).toBe(atMs + 1_000);
      });

      test('a repeated request gets its response even if a new one would be refused', async () => {
        const workspace = await made();
        const atMs = await store.newestAtMs();
        const item = { source: 'okta', jti: 'of a twin' };
        const first = (key: string) => ({
          ...newRequest(workspace, { atMs, claim: { key, response: key, expiresAtMs: atMs + 1_000 } }),
        });
        const using = { ...newRequest(workspace, { atMs, consumes: [item], restsOn: [item] }) };
        const claimed = { ...using, idempotency: first('used').idempotency };
        const done = await commitTo(store, [first('over'), first('frozen'), claimed]);
        expect(done.map(({ kind }) => kind)).toEqual(['committed', 'committed', 'committed']);
        for (const again of [
          { ...first('over'), quota: 0 },
          { ...first('frozen'), freezeNumber: 9 },
          claimed,
        ]) {
          // Each of them alone, after others whose keys were new.
          await commitTo(store, [first(`before ${again.idempotency!.key}`)]);
          const [outcome] = await commitTo(store, [again]);
          expect(outcome!.kind).toBe('twin');
        }
      });

      test('nothing is kept if nothing was committed', async () => {
        const workspace = await made();
        const atMs = await store.newestAtMs();
        const claim = { key: 'k', response: 'one', expiresAtMs: atMs + 1_000 };
        const [over] = await commitTo(store, [newRequest(workspace, { atMs, limit: 0, claim })]);
        expect(over?.kind).toBe('quota_exceeded');
        expect(await store.findAnswer(workspace, 'k', atMs)).toBeNull();
      });

      test('expired responses are swept, others stay', async () => {
        const workspace = await made();
        const atMs = await store.newestAtMs();
        const claim = (key: string, expiresAtMs: number) => ({ key, response: key, expiresAtMs });
        await commitTo(store, [
          newRequest(workspace, { atMs, claim: claim('short', atMs + 1) }),
          newRequest(workspace, { atMs, claim: claim('long', atMs + 1e9) }),
        ]);
        expect(await store.sweep(atMs + 1)).toBeGreaterThanOrEqual(1);
        expect(await store.findAnswer(workspace, 'short', atMs)).toBeNull();
        expect(await store.findAnswer(workspace, 'long', atMs)).not.toBeNull();
      });

      test('repeated sweeps remove every expired response, however many, even behind keys that were used again', async () => {
        const workspace = await made();
        const atMs = await store.newestAtMs();
        const claims = (count: number, name: string, expiresAtMs: number) =>
          Array.from({ length: count }, (_, i) =>
            newRequest(workspace, { atMs, claim: { key: `${name} ${i}`, response: name, expiresAtMs } }),
          );
        const often = 1_100;
        await commitTo(store, claims(often, 'often', atMs));
        await commitTo(store, claims(often, 'once', atMs + 1));
        // Each of these keys has expired and is bound again.
        await commitTo(store, claims(often, 'often', atMs + 1e9));
        let removed = 0;
        for (let some = -1; some !== 0; removed += some) some = await store.sweep(atMs + 1);
        expect(removed).toBeGreaterThanOrEqual(often);
        expect(await store.findAnswer(workspace, `once ${often - 1}`, atMs)).toBeNull();
        expect(await store.findAnswer(workspace, `often ${often - 1}`, atMs)).not.toBeNull();
      });

      test('an attestation is used up once, even if others try in the same commit or later', async () => {
        const workspace = await made();
        const item = { source: 'okta', jti: 'j1' };
        const using = () => newRequest(workspace, { consumes: [item], restsOn: [item] });
        const outcomes = await commitTo(store, [using(), using(), newRequest(workspace)]);
        expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'decide_again', 'committed']);
        expect((await commitTo(store, [using()]))[0]?.kind).toBe('decide_again');
        expect(await store.attestationStates(workspace, [item, { ...item, jti: 'j2' }])).toEqual([
          { ...item, usedUp: true, revoked: false },
          { source: 'okta', jti: 'j2', usedUp: false, revoked: false },
        ]);
        expect((await store.attestationStates(await made(), [item]))[0]?.usedUp).toBe(false);
      });

      test('one decision cannot use up the same attestation twice', async () => {
        const workspace = await made();
        const item = { source: 'okta', jti: 'both' };
        const doubled = newRequest(workspace, { consumes: [item, item] });
        expect((await commitTo(store, [doubled]))[0]?.kind).toBe('decide_again');
      });

      test('an entry that rests on a revoked attestation is not committed', async () => {
        const workspace = await made();
        const item = { source: 'okta', jti: 'j1' };
        expect(await store.revokeAttestation(workspace, item, 77, COMMAND_LINE)).toBe(77);
        expect(await store.revokeAttestation(workspace, item, 99, COMMAND_LINE)).toBe(77);
        expect((await commitTo(store, [newRequest(workspace, { restsOn: [item] })]))[0]?.kind).toBe(
          'decide_again',
        );
        expect((await store.attestationStates(workspace, [item]))[0]?.revoked).toBe(true);
      });

      test('outcomes are recorded with the checks of their commit, even if a check is refused', async () => {
        const workspace = await made();
        const [first, second] = [newRequest(workspace), newRequest(workspace)];
        await commitTo(store, [first, second]);
        const told = (request: CommitRequest, result: NewOutcome['result'], note: string | null = null) => ({
          ...{ workspace, decisionId: request.leaf.decision_id, result, atMs: 1 },
          ...{ recordedAtMs: request.atMs, by: COMMAND_LINE, note, ref: null },
        });
        const kinds = async (requests: readonly CommitRequest[], outcomes: readonly NewOutcome[]) => {
          const { decided, recorded } = await store.commit(requests, outcomes);
          return [...decided, ...recorded].map(({ kind }) => kind);
        };
        const sizeBefore = await expectFrontier();
        const refused = newRequest(workspace, { freezeNumber: 7 });
        const third = newRequest(workspace);
        expect(
          await kinds(
            [third, refused],
            [told(second, 'unknown'), told(first, 'done', 'ü \0'), told(first, 'failed')],
          ),
        ).toEqual(['committed', 'decide_again', 'recorded', 'recorded', 'other_result']);
        expect(await kinds([refused], [told(second, 'done'), told(first, 'done')])).toEqual([
          ...['decide_again', 'recorded', 'recorded'],
        ]);
        expect(await kinds([], [told(second, 'unknown')])).toEqual(['other_result']);
        const ids = [first, second].map(({ leaf }) => leaf.decision_id);
        const outcomes = await store.outcomesOf(workspace, ids);
        expect(outcomes.map(({ decisionId, result, note }) => [decisionId, result, note])).toEqual(
          expect.arrayContaining([
            [ids[0], 'done', 'ü \0'],
            [ids[1], 'done', null],
          ]),
        );
        // One decision, and three outcomes that changed something.
        expect((await expectFrontier()) - sizeBefore).toBe(4);
      });

      test('a commit is one segment: each redemption after its decision, and then the new outcomes', async () => {
        const workspace = await made();
        const [first, second] = [newRequest(workspace), newRequest(workspace)];
        await commitTo(store, [first, second]);
        const idOf = ({ leaf }: CommitRequest) => leaf.decision_id;
        const told = (request: CommitRequest) => ({
          ...{ workspace, decisionId: idOf(request), result: 'done' as const, atMs: 1, by: COMMAND_LINE },
          ...{ recordedAtMs: request.atMs, note: 'ü', ref: null },
        });
        const taken = () => {
          const request = newRequest(workspace);
          const { decision_id: decisionId, intentDigest } = request.leaf;
          return { ...request, redeems: { decisionId, intentDigest } };
        };
        const inOneSegment = async (
          requests: readonly CommitRequest[],
          outcomes: readonly NewOutcome[],
          expected: readonly string[],
        ) => {
          const before = await expectFrontier();
          const { decided } = await store.commit(requests, outcomes);
          const [segment, ...more] = await store.segments(store.log, before, 2);
          expect(more).toEqual([]);
          const entries = segment!.entries.map(({ leaf }) => parseEntry(leaf)!);
          const named = entries.map((entry) =>
            entry.kind === 'decision'
              ? entry.leaf.decision_id
              : (entry as { decision_id: string }).decision_id,
          );
          expect(entries.map(({ kind }, i) => `${kind} ${named[i]}`)).toEqual(expected);
          for (const [i, outcome] of decided.entries())
            if (outcome.kind === 'committed')
              expect(named[committed(outcome).leafIndex - before]).toBe(idOf(requests[i]!));
          await expectFrontier();
        };
        const [one, two, three, refused] = [taken(), newRequest(workspace), taken(), taken()];
        // Everything that was sent.
        await inOneSegment(
          [one, two],
          [told(second)],
          [
            ...[`decision ${idOf(one)}`, `redemption ${idOf(one)}`, `decision ${idOf(two)}`],
            `decision.outcome ${idOf(second)}`,
          ],
        );
        // Refused and repeated outcomes are left out.
        await inOneSegment(
          [{ ...refused, freezeNumber: 7 }, three],
          [told(second), told(first), told(first)],
          [`decision ${idOf(three)}`, `redemption ${idOf(three)}`, `decision.outcome ${idOf(first)}`],
        );
        await inOneSegment([{ ...refused, freezeNumber: 7 }], [told(one)], [`decision.outcome ${idOf(one)}`]);
        const times = await store.redemptionTimes(workspace, [one, two, three, refused].map(idOf));
        expect(times.map(({ decisionId }) => decisionId).sort()).toEqual([one, three].map(idOf).sort());
      });

      test('a commit that fails records neither its decisions nor its outcomes', async () => {
        const workspace = await made();
        const first = newRequest(workspace);
        await commitTo(store, [first]);
        const { decision_id: decisionId, intentDigest } = first.leaf;
        // Two redemptions of one decision: the database refuses the second, and the whole commit with it.
        const taking = () => ({ ...newRequest(workspace), redeems: { decisionId, intentDigest } });
        const both = [taking(), taking()];
        const told = { ...{ workspace, decisionId, result: 'done' as const, atMs: 1 }, by: COMMAND_LINE };
        const outcome = { ...told, recordedAtMs: first.atMs, note: null, ref: null };
        await expect(store.commit(both, [outcome])).rejects.toBeInstanceOf(StoreUnavailable);
        expect(await store.outcomesOf(workspace, [decisionId])).toEqual([]);
        for (const { leaf } of both) expect(await store.findDecision(workspace, leaf.decision_id)).toBeNull();
        const { recorded } = await store.commit([], [outcome]);
        expect(recorded.map(({ kind }) => kind)).toEqual(['recorded']);
      });
    });

    describe('reading decisions', () => {
      test('a decision is found by id immediately, and only in its own workspace', async () => {
        const workspace = await made();
        const requests = Array.from({ length: 40 }, () => newRequest(workspace));
        for (const request of requests) await commitTo(store, [request]);
        for (const { leaf, record } of requests) {
          const found = await store.findDecision(workspace, leaf.decision_id);
          expect(Buffer.from(found!.record).toString()).toBe(textOf(record));
        }
        expect(await store.findDecision(await made(), requests[0]!.leaf.decision_id)).toBeNull();
        expect(await store.findDecision(workspace, idOf('dec_', await store.newestAtMs()))).toBeNull();
        expect(await store.findDecision(workspace, 'dec_nonsense')).toBeNull();
      });

      test('a slightly late record is found as well', async () => {
        const workspace = await made();
        const newest = (await store.newestAtMs()) + 20_000;
        const late = newRequest(workspace, { atMs: newest - 10_000 });
        await commitTo(store, [newRequest(workspace, { atMs: newest })]);
        await commitTo(store, [late]);
        expect(await store.findDecision(workspace, late.leaf.decision_id)).not.toBeNull();
      });

      test('a list contains every decision returned before it, newest first, page by page', async () => {
        const workspace = await made();
        const startMs = (await store.newestAtMs()) + 1_000;
        const requests = Array.from({ length: 25 }, (_, i) => newRequest(workspace, { atMs: startMs + i }));
        for (const request of requests) await commitTo(store, [request]);
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await store.listDecisions({
            workspace,
            limit: 10,
            ...(cursor === undefined ? {} : { cursor }),
          });
          if (page.kind !== 'page') throw new Error(page.kind);
          seen.push(...page.decisions.map(({ decisionId }) => decisionId));
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
        expect(seen).toEqual(requests.map(({ leaf }) => leaf.decision_id).reverse());
        expect(await store.listDecisions({ workspace, limit: 1, cursor: '!!' })).toEqual({
          kind: 'bad_cursor',
        });
        expect(await store.listDecisions({ workspace: await made(), limit: 1 })).toMatchObject({
          decisions: [],
        });
      });

      test('each filter narrows the list alone and together with others', async () => {
        const workspace = await made();
        const startMs = (await store.newestAtMs()) + 1_000;
        const shapes = [
          {
            system: 'crm',
            objectRef: 'a',
            workflowId: 'w',
            runId: 'r',
            decision: 'allow' as const,
            keyId: 'key_1',
          },
          {
            system: 'erp',
            objectRef: 'b',
            decision: 'pause' as const,
            reasonCode: 'authority_unverified',
            keyId: 'key_2',
          },
          {
            system: 'crm',
            objectRef: 'b',
            decision: 'block' as const,
            reasonCode: 'CONTROL_FAILED',
            keyId: 'key_1',
          },
        ];
        for (const [i, shape] of shapes.entries())
          await commitTo(store, [newRequest(workspace, { ...shape, atMs: startMs + i })]);
        const refs = async (query: object): Promise<readonly string[]> => {
          const page = await store.listDecisions({ workspace, limit: 10, ...query });
          return page.kind === 'page'
            ? page.decisions.map(({ system, objectRef }) => `${system}/${objectRef}`)
            : [];
        };
        expect(await refs({ system: 'crm' })).toEqual(['crm/b', 'crm/a']);
        expect(await refs({ objectRef: 'b' })).toEqual(['crm/b', 'erp/b']);
        expect(await refs({ workflowId: 'w' })).toEqual(['crm/a']);
        expect(await refs({ runId: 'r' })).toEqual(['crm/a']);
        expect(await refs({ decision: 'pause' })).toEqual(['erp/b']);
        expect(await refs({ reasonCode: 'CONTROL_FAILED' })).toEqual(['crm/b']);
        expect(await refs({ keyId: 'key_1' })).toEqual(['crm/b', 'crm/a']);
        expect(await refs({ fromMs: startMs + 1 })).toEqual(['crm/b', 'erp/b']);
        expect(await refs({ toMs: startMs + 1 })).toEqual(['crm/a']);
        expect(await refs({ system: 'crm', objectRef: 'b', decision: 'allow' })).toEqual([]);
      });

      test('filters find the same over many days, page by page and in both orders, however many kinds a day has', async () => {
        const workspace = await made();
        const dayMs = 24 * 3_600_000;
        const startMs = (Math.floor((await store.newestAtMs()) / dayMs) + 1) * dayMs;
        const shapes = Array.from({ length: 80 }, (_, day) => [
          { atMs: startMs + day * dayMs, system: 'erp', workflowId: `w${day % 3}` },
          { atMs: startMs + (day + 0.4) * dayMs, system: day % 35 === 0 ? 'rare' : 'crm', keyId: 'key_2' },
        ]).flat();
        // More kinds than a day keeps separately.
        const lastMs = startMs + 80 * dayMs;
        for (let i = 0; i < 520; i += 1)
          shapes.push({ atMs: lastMs + i * 1_000, system: `s${i}`, workflowId: 'w1' });
        const requests = shapes.map((shape) => newRequest(workspace, shape));
        await commitTo(store, requests);
        const all = shapes.map((shape, i) => ({
          keyId: 'key_1',
          workflowId: undefined,
          ...shape,
          decisionId: requests[i]!.leaf.decision_id,
        }));
        type Made = (typeof all)[number];
        const cases: readonly [object, (one: Made) => boolean][] = [
          [{ system: 'rare' }, ({ system }) => system === 'rare'],
          [{ system: 'nosuch' }, () => false],
          [{ system: 's519' }, ({ system }) => system === 's519'],
          [{ system: 's3', keyId: 'key_2' }, () => false],
          [{ workflowId: 'w2' }, ({ workflowId }) => workflowId === 'w2'],
          [
            { workflowId: 'w1', toMs: startMs + 40 * dayMs, fromMs: startMs + 3 * dayMs },
            ({ workflowId, atMs }) =>
              workflowId === 'w1' && atMs < startMs + 40 * dayMs && atMs >= startMs + 3 * dayMs,
          ],
        ];
        for (const order of ['newest', 'oldest'] as const) {
          for (const [filter, isWanted] of cases) {
            const wanted = all.filter(isWanted).map(({ decisionId }) => decisionId);
            const seen: string[] = [];
            for (let cursor: string | null = ''; cursor !== null; ) {
              const asked = { workspace, limit: 12, order, ...filter, ...(cursor === '' ? {} : { cursor }) };
              const page = await store.listDecisions(asked);
              if (page.kind !== 'page') throw new Error(page.kind);
              seen.push(...page.decisions.map(({ decisionId }) => decisionId));
              cursor = page.nextCursor;
            }
            expect(seen, `${order} ${JSON.stringify(filter)}`).toEqual(
              order === 'oldest' ? wanted : wanted.toReversed(),
            );
          }
        }
      });

      test('a list is oldest first if requested, page by page, and includes what would have been stopped', async () => {
        const workspace = await made();
        const startMs = (await store.newestAtMs()) + 1_000;
        const requests = Array.from({ length: 9 }, (_, i) =>
          newRequest(workspace, {
            atMs: startMs + Math.floor(i / 3),
            ...(i % 2 === 0 ? { evaluatedDecision: 'block' as const } : {}),
          }),
        );
        await commitTo(store, requests);
        const all = requests.map(({ leaf }) => leaf.decision_id);
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const asked = { workspace, limit: 4, order: 'oldest' as const };
          const page = await store.listDecisions(cursor === undefined ? asked : { ...asked, cursor });
          if (page.kind !== 'page') throw new Error(page.kind);
          seen.push(...page.decisions.map(({ decisionId }) => decisionId));
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
        expect(seen).toEqual(all);
        const warned = await store.listDecisions({ workspace, limit: 10, isWarned: true, order: 'oldest' });
        if (warned.kind !== 'page') throw new Error(warned.kind);
        expect(warned.decisions.map(({ decisionId }) => decisionId)).toEqual(
          all.filter((_, i) => i % 2 === 0),
        );
      });

      test('counts over time include each outcome, by hour and by day', async () => {
        const workspace = await made();
        const hourMs = 3_600_000;
        const dayMs = 24 * hourMs;
        const dayStartMs = (Math.floor((await store.newestAtMs()) / dayMs) + 1) * dayMs;
        const at = (hours: number, rest: object = {}) =>
          newRequest(workspace, { atMs: dayStartMs + hours * hourMs + 1_000, ...rest });
        await commitTo(store, [at(0), at(0, { evaluatedDecision: 'pause' })]);
        for (const one of [at(0, { decision: 'pause' }), at(2, { decision: 'block' }), at(25)])
          await commitTo(store, [one]);
        const none = { allow: 0, pause: 0, block: 0, warned: 0 };
        const hour = (hours: number, rest: object) => ({
          ...none,
          fromMs: dayStartMs + hours * hourMs,
          ...rest,
        });
        const hours = [
          hour(0, { allow: 2, pause: 1, warned: 1 }),
          hour(2, { block: 1 }),
          hour(25, { allow: 1 }),
        ];
        const count = (fromMs: number, toMs: number, step: 'hour' | 'day') =>
          store.countDecisions(workspace, fromMs, toMs, step);
        expect(await count(dayStartMs, dayStartMs + 2 * dayMs, 'hour')).toEqual(hours);
        // Whole hours: the one that contains the first moment counts, one that begins at the last does not.
        expect(await count(dayStartMs + 2_000, dayStartMs + 25 * hourMs, 'hour')).toEqual(hours.slice(0, 2));
        expect(await count(dayStartMs, dayStartMs + 2 * dayMs, 'day')).toEqual([
          hour(0, { allow: 2, pause: 1, block: 1, warned: 1 }),
          hour(24, { allow: 1 }),
        ]);
        expect(await store.countDecisions(await made(), 0, dayStartMs + 2 * dayMs, 'day')).toEqual([]);
        await store.rebuildIndex();
        expect(await count(dayStartMs, dayStartMs + 2 * dayMs, 'hour')).toEqual(hours);
      });

      test('a rebuilt index has the same content', async () => {
        const workspace = await made();
        for (let i = 0; i < 5; i += 1) await commitTo(store, [newRequest(workspace), newRequest(workspace)]);
        const before = await store.listDecisions({ workspace, limit: 100 });
        expect(await store.rebuildIndex()).toBe(
          (await store.logs()).reduce((sum, { size }) => sum + size, 0),
        );
        expect(await store.listDecisions({ workspace, limit: 100 })).toEqual(before);
      });

      test('usage by day counts each key', async () => {
        const workspace = await made();
        const atMs = await store.newestAtMs();
        const day = new Date(atMs).toISOString().slice(0, 10);
        const of = (keyId: string) => newRequest(workspace, { atMs, keyId });
        await commitTo(store, [of('key_1'), of('key_1'), of('key_2')]);
        expect(await store.usageByDay(workspace, day.slice(0, 7))).toEqual([
          { day, keyId: 'key_1', checks: 2 },
          { day, keyId: 'key_2', checks: 1 },
        ]);
      });
    });

    describe('policies', () => {
      const policy = (workspace: string, name: string, rest: object = {}) => ({
        ...{
          workspace,
          digest: digestNamed(name),
          documents: `["${name}"]`,
          by: COMMAND_LINE,
          createdAtMs: 5,
          rollbackOf: null,
        },
        ...rest,
      });

      test('revisions count from 1, and the running digest again changes nothing', async () => {
        const workspace = await made();
        expect(await store.currentPolicy(workspace)).toBeNull();
        expect(await store.appendPolicy(policy(workspace, 'd1'))).toEqual({ kind: 'appended', revision: 1 });
        expect(await store.appendPolicy(policy(workspace, 'd1'))).toEqual({ kind: 'unchanged', revision: 1 });
        expect(await store.appendPolicy(policy(workspace, 'd2', { message: 'why' }))).toEqual({
          kind: 'appended',
          revision: 2,
        });
        expect(await store.appendPolicy(policy(workspace, 'd1', { rollbackOf: 1 }))).toEqual({
          kind: 'appended',
          revision: 3,
        });
        expect(await store.currentPolicy(workspace)).toMatchObject({
          revision: 3,
          digest: digestNamed('d1'),
          documents: '["d1"]',
        });
        expect(await store.findPolicy(workspace, 2)).toMatchObject({
          digest: digestNamed('d2'),
          rollbackOf: null,
        });
        expect(await store.findPolicy(workspace, 3)).toMatchObject({ rollbackOf: 1 });
        const listed = await store.listPolicies(workspace);
        expect(listed.map(({ revision }) => revision)).toEqual([3, 2, 1]);
        expect(listed.map(({ message }) => message)).toEqual([null, 'why', null]);
        expect(await store.findPolicy(await made(), 1)).toBeNull();
      });

      test('of many swaps that expect the same digest, one succeeds', async () => {
        const workspace = await made();
        const outcomes = await Promise.all(
          Array.from({ length: 8 }, (_, i) =>
            store.appendPolicy(policy(workspace, `d${i}`, { expectedDigest: null })),
          ),
        );
        expect(outcomes.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
        expect(outcomes.filter(({ kind }) => kind === 'conflict')).toHaveLength(7);
      });
    });

    // Their prunes read the whole log: each of the two gets a short one.
    for (const describePart of [describeLogKeeping, describeReviews]) {
      describe('on its own store', () => describePart(useStore(makeStore)));
    }
    testContinuedLog(makeStore);
    describePeople(used);
    describeWebhooks(used);
    describeWorkspaces(used);

    describe('several on one store', () => {
      test('a second process sees what the first wrote, and both append to consistent logs', async () => {
        const second = await other();
        try {
          const workspace = await made();
          const limited = (): ReturnType<typeof newRequest> =>
            newRequest(workspace, { keyKind: 'development', limit: 30 });
          const outcomes = await Promise.all(
            Array.from({ length: 60 }, (_, i) => commitTo(i % 2 === 0 ? store : second, [limited()])),
          );
          const kinds = outcomes.map(([outcome]) => outcome?.kind);
          expect(kinds.filter((kind) => kind === 'committed')).toHaveLength(30);
          const page = await second.listDecisions({ workspace, limit: 100 });
          expect(page.kind === 'page' && page.decisions.length).toBe(30);
        } finally {
          await second.close();
        }
      });

      test('a change made elsewhere is announced before any notice that nothing changed', async () => {
        const second = await other();
        const told: (Change | number)[] = [];
        const isTime = (one: Change | number) => typeof one === 'number';
        const startedMs = performance.now();
        const stop = store.watch(
          (change) => told.push(change),
          (atMs) => told.push(atMs),
        );
        try {
          await expect.poll(() => told.filter(isTime).length).toBeGreaterThan(1);
          const unchanged = told.filter(isTime);
          expect(Math.min(...unchanged)).toBeGreaterThan(startedMs - 500);
          expect(Math.max(...unchanged)).toBeLessThanOrEqual(performance.now());
          const workspace = await made();
          const key = newKey('live');
          await second.createKey(workspace, key, COMMAND_LINE);
          await second.revokeKey(workspace, key.id, 5, COMMAND_LINE);
          await second.appendPolicy({
            ...{
              workspace,
              digest: digestNamed('d'),
              documents: '[]',
              by: COMMAND_LINE,
              createdAtMs: 1,
              rollbackOf: null,
            },
          });
          const madeMs = performance.now();
          // An earlier test's changes may arrive late, and a poll that is late announces everything.
          const announced = () => {
            const changes = told.filter((one) => typeof one !== 'number');
            if (changes.some(({ kind }) => kind === 'everything')) return 'everything';
            return changes.filter((one) => 'workspace' in one && one.workspace === workspace);
          };
          const both = [
            { kind: 'key', workspace, keyId: key.id },
            { kind: 'policy', workspace },
          ];
          await expect
            .poll(announced)
            .toSatisfy((seen) => seen === 'everything' || isDeepStrictEqual(seen, both));
          // Until then, at no time after the changes were made.
          const before = told.slice(
            0,
            told.findLastIndex((one) => !isTime(one)),
          );
          expect(before.filter(isTime).filter((atMs) => atMs > madeMs)).toEqual([]);
        } finally {
          stop();
          await second.close();
        }
      });

      test('everything is there after closing and reopening, and the log continues where it was', async () => {
        const workspace = await made();
        const request = newRequest(workspace);
        const [before] = await commitTo(store, [request]);
        await store.close();
        store = await reopen();
        expect(await store.findDecision(workspace, request.leaf.decision_id)).not.toBeNull();
        const [after] = await commitTo(store, [newRequest(workspace)]);
        expect(committed(after).log === committed(before).log ? committed(after).leafIndex : 1).toBe(
          committed(after).log === committed(before).log ? committed(before).leafIndex + 1 : 1,
        );
      });
    });

    test('health is ok, and after closing every call is refused', async () => {
      expect(await store.health()).toEqual({ kind: 'ok' });
      await store.close();
      await expect(commitTo(store, [newRequest(idOf('ws_'))])).rejects.toThrow('closed');
      store = await reopen();
    });
  });
};
