/** What every store must do for workspaces: suspended, resumed, deleted and granted ones, and their ceilings. */
import { parseEntry } from '@writecheck/ledger';
import { describe, expect, test } from 'vitest';
import { bytesOfRequest, dayOf, monthOf } from '../../src/commit/stored-bytes.ts';
import type { Acting } from '../../src/port/acting.ts';
import type { Redemption, Store, Workspace } from '../../src/port.ts';
import { OWNED_TABLES } from '../../src/prune/owned-tables.ts';
import {
  COMMAND_LINE,
  commitTo,
  digestNamed,
  idOf,
  newKey,
  newRequest,
  newWorkspace,
} from './store-contract-values.ts';

/** The bytes a day of a workspace with a ceiling, in the stores under test. */
export const STORED_BYTES_MAX = 40_000;

interface Under {
  readonly store: () => Store;
  readonly other: () => Promise<Store>;
}

async function madeIn(store: Store, changes: Partial<Workspace> = {}) {
  const { workspace, keys } = newWorkspace();
  await store.createWorkspace({ ...workspace, ...changes }, keys);
  const [owner] = keys;
  return { id: workspace.id, keys, owner: { kind: 'owner_key', id: owner!.id } as Acting };
}

/** The kinds of the entries of a workspace that name it, with their authors. */
async function entriesOf(store: Store, workspace: string) {
  const found: object[] = [];
  for (const { log, size } of await store.logs())
    for (let from = 0; from < size; ) {
      const [segment] = await store.segments(log, from, 1);
      for (const { leaf } of segment!.entries) {
        const entry = leaf.length === 0 ? null : parseEntry(leaf);
        if (entry !== null && 'workspace' in entry && entry.workspace === workspace && 'by' in entry)
          found.push({ kind: entry.kind, by: entry.by });
      }
      from = segment!.firstIndex + segment!.entries.length;
    }
  return found;
}

async function changeOf(store: Store, workspace: string) {
  return { workspace, by: COMMAND_LINE, atMs: await store.newestAtMs() };
}

async function redemptionOf(store: Store, workspace: string, decisionId: string): Promise<Redemption> {
  const atMs = await store.newestAtMs();
  return {
    ...{ workspace, decisionId, keyId: 'key_1', keyKind: 'live', atMs, decidedAtMs: atMs },
    ...{ intentDigest: `sha256:${'0'.repeat(64)}`, policyRef: null, restsOn: [], validUntilMs: 9e12 },
    ...{ freezeNumber: 0, isFrozen: false, answer: { expiresAtMs: 0, keptUntilMs: 9e12 } },
    idempotency: null,
  };
}

export const describeWorkspaces = ({ store, other }: Under): void => {
  describe('a workspace that is not active', () => {
    test.each([
      ['suspended', 'workspace_suspended', 'workspace.suspended'],
      ['deleted', 'invalid_key', 'workspace.deleted'],
    ] as const)('that is %s commits, redeems, reports and changes nothing', async (state, code, kind) => {
      const { id, owner, keys } = await madeIn(store());
      const allow = newRequest(id);
      await commitTo(store(), [allow]);
      const { decision_id: decisionId } = allow.leaf;
      expect(await store().changeWorkspaceState(await changeOf(store(), id), state)).toMatchObject({
        kind: 'changed',
      });
      const atMs = await store().newestAtMs();
      const neighbour = await madeIn(store());
      const [refused, done] = await commitTo(store(), [newRequest(id), newRequest(neighbour.id)]);
      expect([refused, done!.kind]).toEqual([{ kind: 'ended', code }, 'committed']);
      const claim = { key: 'k', response: 'r', expiresAtMs: 9e12 };
      expect(await commitTo(store(), [newRequest(id, { claim })])).toEqual([{ kind: 'ended', code }]);
      expect(await store().redeem(await redemptionOf(store(), id, decisionId))).toEqual({
        kind: 'ended',
        code,
      });
      const told = { workspace: id, decisionId, result: 'done', atMs, recordedAtMs: atMs } as const;
      const reports = [{ ...told, by: COMMAND_LINE, note: null, ref: null }];
      expect((await store().commit([], reports)).recorded).toEqual([{ kind: 'ended', code }]);
      const refusal = { code };
      await expect(store().createKey(id, newKey('live'), owner)).rejects.toMatchObject(refusal);
      await expect(store().renameWorkspace(id, 'other', owner as never, atMs)).rejects.toMatchObject(refusal);
      await expect(store().revokeKey(id, keys[1]!.id, atMs, owner)).rejects.toMatchObject(refusal);
      const session = { workspace: id, personId: 'per_1', epoch: 1, signIn: 'passkey' } as const;
      await expect(
        store().createSession({ ...session, hash: idOf('h'), createdAtMs: 1, expiresAtMs: 9e12 }),
      ).rejects.toMatchObject(refusal);
      expect((await store().findKey(keys[0]!.hash))?.standing.state).toBe(state);
      expect(await entriesOf(store(), id)).toEqual([{ kind, by: COMMAND_LINE }]);
    });

    test('commits nothing once the command has its result, whichever process decides, and others go on', async () => {
      const second = await other();
      try {
        for (let round = 0; round < 3; round += 1) {
          const { id } = await madeIn(store());
          let isSuspended = false;
          const late: string[] = [];
          const lanes = [store(), second, store(), second].map(async (each) => {
            for (;;) {
              const isAfter = isSuspended;
              const [result] = await commitTo(each, [newRequest(id)]);
              if (isAfter) late.push(result!.kind);
              if (isAfter) return;
            }
          });
          await store().changeWorkspaceState(await changeOf(store(), id), 'suspended');
          isSuspended = true;
          await Promise.all(lanes);
          expect(new Set(late)).toEqual(new Set(['ended']));
          await second.changeWorkspaceState(await changeOf(second, id), 'active');
          expect((await commitTo(store(), [newRequest(id)]))[0]!.kind).toBe('committed');
        }
      } finally {
        await second.close();
      }
    });

    test('redeems nothing once the command has its result, and no two of them wait for each other', async () => {
      const second = await other();
      try {
        const { id } = await madeIn(store());
        const allows = Array.from({ length: 24 }, () => newRequest(id));
        await commitTo(store(), allows);
        const ids = allows.map(({ leaf }) => leaf.decision_id);
        const redemptions = await Promise.all(ids.map((each) => redemptionOf(store(), id, each)));
        let isSuspended = false;
        const late: string[] = [];
        const redeeming = redemptions.map(async (redemption, i) => {
          const isAfter = isSuspended;
          const { kind } = await (i % 2 === 0 ? store() : second).redeem(redemption);
          if (isAfter) late.push(kind);
          return kind;
        });
        await store().changeWorkspaceState(await changeOf(store(), id), 'suspended');
        isSuspended = true;
        const kinds = new Set(await Promise.all(redeeming));
        expect([...kinds].filter((kind) => kind !== 'redeemed' && kind !== 'ended')).toEqual([]);
        const [again] = redemptions;
        expect(await second.redeem(again!)).toEqual({ kind: 'ended', code: 'workspace_suspended' });
        expect(late.filter((kind) => kind !== 'ended')).toEqual([]);
      } finally {
        await second.close();
      }
    });

    test('is announced to every process', async () => {
      const second = await other();
      try {
        const { id } = await madeIn(store());
        const seen: object[] = [];
        await new Promise<void>((resolve) => {
          second.watch(
            (change) => seen.push(change),
            () => resolve(),
          );
        });
        await store().changeWorkspaceState(await changeOf(store(), id), 'suspended');
        await expect.poll(() => seen).toContainEqual({ kind: 'workspace', workspace: id });
      } finally {
        await second.close();
      }
    });

    test('is still managed by an operator, while it is suspended', async () => {
      const { id, keys } = await madeIn(store());
      await store().changeWorkspaceState(await changeOf(store(), id), 'suspended');
      const atMs = await store().newestAtMs();
      expect((await store().createKey(id, newKey('live'), COMMAND_LINE)).kind).toBe('created');
      expect(await store().revokeKey(id, keys[1]!.id, atMs, COMMAND_LINE)).toEqual({ kind: 'revoked' });
      const frozen = await store().freeze({
        ...{ workspace: id, id: idOf('frz_'), scope: {}, reason: 'r', untilMs: null, atMs },
        ...{ by: { kind: 'operator', id: 'o' }, places: null, idempotency: null },
      });
      expect(frozen.kind).toBe('frozen');
    });

    test('changes once: the same again changes nothing, and a deleted one stays deleted', async () => {
      const { id } = await madeIn(store());
      const wish = await changeOf(store(), id);
      const kindOf = async (state: Workspace['state']) =>
        (await store().changeWorkspaceState(wish, state)).kind;
      const kinds = [];
      for (const state of [
        'active',
        'suspended',
        'suspended',
        'active',
        'deleted',
        'deleted',
        'active',
      ] as const)
        kinds.push(await kindOf(state));
      expect(kinds).toEqual([
        ...['unchanged', 'changed', 'unchanged', 'changed', 'changed', 'unchanged', 'no_such_workspace'],
      ]);
      expect((await store().listWorkspaces()).map((each) => each.id)).not.toContain(id);
      expect(await store().changeWorkspaceState({ ...wish, workspace: idOf('ws_') }, 'active')).toEqual({
        kind: 'no_such_workspace',
      });
    });
  });

  describe('an erased workspace', () => {
    test('leaves its hashes, its id and the entries of its log, and nothing else', async () => {
      const { id, keys } = await madeIn(store());
      const neighbour = await madeIn(store());
      const claim = { key: 'k', response: '{"decision_id":"x"}', expiresAtMs: 9e12 };
      await commitTo(store(), [newRequest(id, { claim }), newRequest(neighbour.id), newRequest(id)]);
      const before = await store().logs();
      await store().changeWorkspaceState(await changeOf(store(), id), 'deleted');
      const contents = await store().workspaceContents(id);
      expect(contents).toMatchObject({ decisions: 2, rows: { api_key: 2, idempotency: 1 } });
      const wish = { ...(await changeOf(store(), id)), id: idOf('era_') };
      expect(await store().eraseWorkspace(wish)).toBe(2);
      expect(await store().workspaceContents(id)).toMatchObject({ decisions: 0, entries: 0 });
      const { rows } = await store().workspaceContents(id);
      expect(Object.values(rows)).toEqual(OWNED_TABLES.map(() => 0));
      expect(await store().findKey(keys[0]!.hash)).toBeNull();
      expect(await store().findWorkspace(id)).toMatchObject({ state: 'deleted', name: '' });
      expect(await entriesOf(store(), id)).toEqual([
        { kind: 'workspace.deleted', by: COMMAND_LINE },
        { kind: 'records.erased', by: COMMAND_LINE },
      ]);
      // The log of the others is what it was, entry for entry.
      const [grown] = (await store().logs()).filter(({ log }) => log === store().log);
      expect(grown!.size).toBeGreaterThan(before.find(({ log }) => log === store().log)!.size);
      expect((await store().workspaceContents(neighbour.id)).decisions).toBe(1);
      // Once more, as after a kill.
      expect(await store().eraseWorkspace({ ...wish, id: idOf('era_') })).toBe(0);
    });

    test('is erased only once it is deleted', async () => {
      const { id } = await madeIn(store());
      await store().eraseWorkspace({ ...(await changeOf(store(), id)), id: idOf('era_') });
      expect((await store().listKeys(id)).length).toBe(2);
    });
  });

  describe('a workspace that signed itself up', () => {
    const signedUp = (changes: Partial<Workspace> = {}) => madeIn(store(), { signedUp: true, ...changes });
    const big = (workspace: string) => newRequest(workspace, { objectRef: 'a'.repeat(4_000) });
    const EACH = bytesOfRequest(big('ws'));
    const MOST = Math.floor(STORED_BYTES_MAX / EACH);

    test('never passes its ceiling, however many processes commit for it at once, and no other one has it', async () => {
      const second = await other();
      try {
        const { id } = await signedUp();
        const operators = await madeIn(store());
        const rounds = Array.from({ length: 3 * MOST }, (_, i) => (i % 2 === 0 ? store() : second));
        const results = await Promise.all(
          rounds.flatMap((each) => [commitTo(each, [big(id)]), commitTo(each, [big(operators.id)])]),
        );
        const kinds = results.map(([result]) => result!.kind);
        expect(kinds.filter((_, i) => i % 2 === 1)).toEqual(rounds.map(() => 'committed'));
        expect(kinds.filter((kind, i) => i % 2 === 0 && kind === 'committed')).toHaveLength(MOST);
        expect(kinds.filter((kind) => kind === 'stored_enough')).toHaveLength(rounds.length - MOST);
      } finally {
        await second.close();
      }
    });

    const policyOf = (workspace: string, by: Acting, bytes: number, createdAtMs: number) => ({
      ...{ workspace, digest: digestNamed(idOf('d')), documents: ' '.repeat(bytes), createdAtMs },
      ...{ rollbackOf: null, by },
    });

    test('passes its ceiling by one change at most, and has none once it is granted', async () => {
      const { id, owner, keys } = await signedUp();
      for (let i = 0; i < MOST; i += 1) await commitTo(store(), [big(id)]);
      const atMs = await store().newestAtMs();
      expect((await store().appendPolicy(policyOf(id, owner, 2 * EACH, atMs))).kind).toBe('appended');
      const refused = { code: 'quota_exceeded' };
      const key = { ...newKey('live'), createdAtMs: atMs };
      await expect(store().createKey(id, key, owner)).rejects.toMatchObject(refused);
      await expect(store().revokeKey(id, keys[1]!.id, atMs, owner)).rejects.toMatchObject(refused);
      await store().grantLive({ workspace: id, by: COMMAND_LINE, atMs });
      expect(await store().revokeKey(id, keys[1]!.id, atMs, owner)).toEqual({ kind: 'revoked' });
      expect((await commitTo(store(), [big(id)]))[0]!.kind).toBe('committed');
    });

    test('may revoke and freeze although it may store nothing else', async () => {
      const { id, owner, keys } = await signedUp();
      for (let i = 0; i < MOST; i += 1) await commitTo(store(), [big(id)]);
      const atMs = await store().newestAtMs();
      const left = STORED_BYTES_MAX - MOST * EACH;
      expect((await store().appendPolicy(policyOf(id, owner, left, atMs))).kind).toBe('appended');
      const key = { ...newKey('live'), createdAtMs: atMs };
      await expect(store().createKey(id, key, owner)).rejects.toMatchObject({ code: 'quota_exceeded' });
      expect(await store().revokeKey(id, keys[1]!.id, atMs, owner)).toEqual({ kind: 'revoked' });
      expect((await commitTo(store(), [big(id)]))[0]!.kind).toBe('stored_enough');
    });
  });

  test('the figures of a workspace are what it decided and stored, less what was erased', async () => {
    const { id } = await madeIn(store(), { signedUp: true, name: 'Käse' });
    const requests = [newRequest(id), newRequest(id, { keyKind: 'development', limit: 9 })];
    await commitTo(store(), requests);
    const atMs = requests[0]!.atMs;
    const period = monthOf(dayOf(atMs));
    const figures = async () => (await store().workspaceFigures(period)).find((each) => each.id === id);
    const storedBytes = requests.reduce((sum, request) => sum + bytesOfRequest(request), 0);
    expect(await figures()).toMatchObject({
      ...{ name: 'Käse', state: 'active', signedUp: true, liveGranted: false },
      ...{ decisions: 2, storedBytes, lastUsedAtMs: null },
    });
    const found = await store().findPrunable({ workspace: id, beforeMs: atMs + 86_400_000 });
    const erasure = { id: idOf('era_'), by: COMMAND_LINE, reason: 'r', atMs };
    await store().prune(found, erasure);
    const after = await figures();
    expect(after!.decisions).toBe(2);
    expect(after!.storedBytes).toBeLessThan(storedBytes);
  });
};
