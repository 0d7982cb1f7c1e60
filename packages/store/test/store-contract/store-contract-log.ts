/** What every store must do for the log: redemptions, proofs, checkpoints, pruning and continued logs. */
import {
  continuationBytes,
  Frontier,
  leafHash,
  parseEntry,
  planInclusion,
  readPlan,
  verifyInclusion,
} from '@writecheck/ledger';
import { describe, expect, test } from 'vitest';
import type { CommitRequest, Redemption, Store } from '../../src/port.ts';
import { countPrunable, erase } from '../erase.ts';
import {
  COMMAND_LINE,
  commitTo,
  digestNamed,
  idOf,
  newKey,
  newRequest,
  newWorkspace,
} from './store-contract-values.ts';

const keptUnder = (key: string, request: CommitRequest, expiresAtMs: number): CommitRequest => ({
  ...request,
  idempotency: {
    ...{ key, requestDigest: 'r', claim: null, expiresAtMs },
    replayableWhile: JSON.stringify({ validUntilMs: request.atMs + 500, policyRef: null, restsOn: [] }),
    response: JSON.stringify({ decision_id: request.leaf.decision_id }),
  },
});

export const describeLogKeeping = (under: {
  readonly store: () => Store;
  readonly made: () => Promise<string>;
}): void => {
  const { store, made } = under;
  const headOf = async () => (await store().logs()).find(({ log }) => log === store().log)!;
  const entryAt = async (index: number) => {
    const [segment] = await store().segments(store().log, index, 1);
    return segment!.entries[index - segment!.firstIndex]!;
  };
  const redemptionOf = (workspace: string, changes: Partial<Redemption> = {}): Redemption => ({
    ...{ workspace, decisionId: idOf('dec_'), keyId: 'key_1', keyKind: 'live', atMs: 5 },
    ...{ idempotency: null, intentDigest: `sha256:${'1'.repeat(64)}`, policyRef: null, decidedAtMs: 4 },
    ...{ restsOn: [], validUntilMs: 10, freezeNumber: 0, isFrozen: false },
    answer: { expiresAtMs: 24, keptUntilMs: 720 },
    ...changes,
  });

  describe('the entries of a moment', () => {
    test('are found among any number of others, without decisions and without other workspaces', async () => {
      const [workspace, other] = [await made(), await made()];
      const startMs = (await store().newestAtMs()) + 1_000;
      const keys = [newKey('live'), newKey('live'), newKey('live')];
      for (let at = 0; at < 40; at += 1) {
        const atMs = startMs + at * 10;
        await commitTo(store(), [newRequest(workspace, { atMs })]);
        if (at % 15 === 0) {
          const key = keys[at / 15]!;
          await store().createKey(workspace, { ...key, createdAtMs: atMs }, COMMAND_LINE);
          await store().createKey(other, { ...newKey('live'), createdAtMs: atMs }, COMMAND_LINE);
        }
      }
      for (const [i, { id }] of keys.entries()) {
        const atMs = startMs + i * 150;
        const found = await store().entriesAt(workspace, atMs);
        expect(found.map(({ leaf }) => parseEntry(leaf))).toMatchObject([{ kind: 'key.created', key: id }]);
        const { log, leafIndex, treeSize, leaf } = found[0]!;
        expect(Buffer.from((await entryAt(leafIndex)).leaf)).toEqual(Buffer.from(leaf));
        expect([log, treeSize > leafIndex]).toEqual([store().log, true]);
        expect(await store().entriesAt(workspace, atMs + 1)).toEqual([]);
      }
      // Recorded after a newer entry, as another thread may do.
      const late = newKey('live');
      await store().createKey(workspace, { ...late, createdAtMs: startMs + 5 }, COMMAND_LINE);
      expect(await store().entriesAt(workspace, startMs + 5)).toHaveLength(1);
      // Found although later commits are slightly older, and in a millisecond with many commits.
      const fallingMs = startMs + 10_000;
      await store().createKey(workspace, { ...newKey('live'), createdAtMs: fallingMs }, COMMAND_LINE);
      for (let i = 0; i < 12; i += 1)
        await commitTo(store(), [newRequest(workspace, { atMs: fallingMs - 10 })]);
      const busyMs = fallingMs + 1_000;
      for (let i = 0; i < 300; i += 1) await commitTo(store(), [newRequest(workspace, { atMs: busyMs })]);
      await store().createKey(workspace, { ...newKey('live'), createdAtMs: busyMs }, COMMAND_LINE);
      expect(await store().entriesAt(workspace, fallingMs)).toHaveLength(1);
      expect(await store().entriesAt(workspace, busyMs)).toHaveLength(1);
      expect(await store().entriesAt(workspace, 0)).toEqual([]);
      expect(await store().entriesAt(workspace, startMs * 2)).toEqual([]);
    });
  });

  describe('redemptions', () => {
    test('a decision is redeemed once under any concurrency, and again under the same key', async () => {
      const redemption = redemptionOf(await made());
      const before = (await headOf()).size;
      const keyed = (i: number, requestDigest = 'a') => ({
        ...redemption,
        idempotency: { key: `k${i}`, requestDigest, expiresAtMs: 1_000 },
      });
      const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => store().redeem(keyed(i))));
      expect(outcomes.filter(({ kind }) => kind === 'redeemed')).toHaveLength(1);
      const winner = outcomes.findIndex(({ kind }) => kind === 'redeemed');
      expect(await store().redeem({ ...keyed(winner), atMs: 99 })).toEqual({ kind: 'same', redeemedAtMs: 5 });
      expect(await store().redeem(keyed(winner, 'b'))).toEqual({ kind: 'key_reused' });
      expect(await store().redeem(keyed(20))).toEqual({ kind: 'already_redeemed' });
      expect(await store().redeem(redemption)).toEqual({ kind: 'already_redeemed' });
      expect((await headOf()).size).toBe(before + 1);
      const { leaf, record } = await entryAt(before);
      expect(record).toHaveLength(0);
      const { workspace, decisionId, intentDigest } = redemption;
      expect(parseEntry(leaf)).toMatchObject({ kind: 'redemption', workspace, intentDigest });
      expect(parseEntry(leaf)).toMatchObject({ decision_id: decisionId, log: store().log });
    });

    test('of 20 decisions redeemed concurrently under one key, one gets it, and the key is valid for no other', async () => {
      const workspace = await made();
      const idempotency = { key: 'k', requestDigest: 'a', expiresAtMs: 1_000 };
      const redemptions = Array.from({ length: 20 }, () => redemptionOf(workspace, { idempotency }));
      const before = (await headOf()).size;
      const outcomes = await Promise.all(redemptions.map((one) => store().redeem(one)));
      const winner = outcomes.findIndex(({ kind }) => kind === 'redeemed');
      expect(outcomes.map(({ kind }) => kind)).toEqual(
        outcomes.map((_, i) => (i === winner ? 'redeemed' : 'key_reused')),
      );
      expect((await headOf()).size).toBe(before + 1);
      expect((await store().redeem(redemptions[winner]!)).kind).toBe('same');
      const loser = redemptions[winner === 0 ? 1 : 0]!;
      // The refusals used nothing up, and the key is free elsewhere and once it has expired.
      expect((await store().redeem({ ...loser, idempotency: null })).kind).toBe('redeemed');
      expect((await store().redeem(redemptionOf(await made(), { idempotency }))).kind).toBe('redeemed');
      const later = { atMs: 1_000, decidedAtMs: 999, validUntilMs: 1_001 };
      const renewed = { ...idempotency, expiresAtMs: 2_000 };
      expect((await store().redeem(redemptionOf(workspace, { ...later, idempotency: renewed }))).kind).toBe(
        'redeemed',
      );
    });

    test('a key of a check is separate from one of a redemption', async () => {
      const workspace = await made();
      const atMs = await store().newestAtMs();
      const claim = (key: string) =>
        newRequest(workspace, { atMs, claim: { key, response: 'one', expiresAtMs: atMs + 1_000 } });
      await commitTo(store(), [claim('checked')]);
      const redeemWith = (key: string) =>
        store().redeem(
          redemptionOf(workspace, {
            ...{ atMs, decidedAtMs: atMs, validUntilMs: atMs + 1 },
            idempotency: { key, requestDigest: 'r', expiresAtMs: atMs + 1_000 },
          }),
        );
      expect(await redeemWith('checked')).toEqual({ kind: 'key_reused' });
      expect((await redeemWith('redeemed')).kind).toBe('redeemed');
      const [outcome] = await commitTo(store(), [claim('redeemed')]);
      expect(outcome?.kind).toBe('twin');
      expect(outcome?.kind === 'twin' && outcome.stored.requestDigest).not.toBe('r');
    });

    test('changes since the decision are detected in the commit, and leave no trace', async () => {
      const workspace = await made();
      const item = { source: 'okta', jti: 'gone' };
      await store().revokeAttestation(workspace, item, 1, null);
      const before = (await headOf()).size;
      const outcomeOf = async (changes: Partial<Redemption>) =>
        (await store().redeem(redemptionOf(workspace, changes))).kind;
      expect(await outcomeOf({ atMs: 10 })).toBe('expired');
      expect(await outcomeOf({ validUntilMs: Number.NaN })).toBe('expired');
      expect(await outcomeOf({ policyRef: 'sha256:other' })).toBe('policy_changed');
      expect(await outcomeOf({ restsOn: [{ ...item, jti: 'fine' }, item] })).toBe('evidence_revoked');
      expect((await headOf()).size).toBe(before);
      const policy = {
        workspace,
        digest: digestNamed('d'),
        documents: '[]',
        by: COMMAND_LINE,
        createdAtMs: 1,
      };
      await store().appendPolicy({ ...policy, rollbackOf: null });
      expect(await outcomeOf({})).toBe('policy_changed');
      expect(await outcomeOf({ policyRef: digestNamed('d') })).toBe('redeemed');
      // The bundle is replaced for a while, and then applied again: this is another revision.
      await store().appendPolicy({ ...policy, digest: digestNamed('e'), createdAtMs: 4, rollbackOf: null });
      await store().appendPolicy({ ...policy, createdAtMs: 5, rollbackOf: 1 });
      expect(await outcomeOf({ policyRef: digestNamed('d') })).toBe('policy_changed');
      expect(await outcomeOf({ policyRef: digestNamed('d'), decidedAtMs: 5 })).toBe('redeemed');
      expect((await store().listPolicies(workspace, 2)).map(({ revision }) => revision)).toEqual([3, 2]);
    });
  });

  describe('the tree', () => {
    test('every leaf is proven from stored hashes, under any size of the log', async () => {
      const workspace = await made();
      const many = () => Array.from({ length: 50 }, () => newRequest(workspace));
      for (let i = 0; i < 14; i += 1) await commitTo(store(), many());
      const { size, log } = await headOf();
      expect(size).toBeGreaterThan(600);
      const frontier = new Frontier();
      const roots: Uint8Array[] = [frontier.root()];
      const leaves: Uint8Array[] = [];
      for (const { entries, leafHashes } of await store().segments(log, 0, size)) {
        for (const [i, { leaf }] of entries.entries()) {
          // Only the hash of a pruned entry is left.
          leaves.push(leaf.length === 0 ? leafHashes.subarray(i * 32, (i + 1) * 32) : leafHash(leaf));
          frontier.append(leaves.at(-1)!);
          roots.push(frontier.root());
        }
      }
      for (const end of [1, 2, 255, 256, 257, 511, 512, 513, size]) {
        for (const index of new Set([0, 1, 254, 255, 256, 300, end - 1])) {
          if (index >= end) continue;
          const subtrees = planInclusion(index, end).flat();
          const hashes = await store().subtreeHashes(log, subtrees);
          const byName = new Map(subtrees.map(({ level, index: at }, i) => [`${level}/${at}`, hashes[i]!]));
          const plan = planInclusion(index, end);
          const proof = readPlan(plan, (level, at) => byName.get(`${level}/${at}`)!);
          const claim = { leafHash: leaves[index]!, index, size: end, proof, root: roots[end]! };
          expect(verifyInclusion(claim), `${index} of ${end}`).toBe(true);
        }
      }
    });

    test('a decision is found with the size its commit left the log at', async () => {
      const workspace = await made();
      const requests = [newRequest(workspace), newRequest(workspace), newRequest(workspace)];
      await commitTo(store(), requests);
      const { size } = await headOf();
      const found = await store().findDecision(workspace, requests[0]!.leaf.decision_id);
      expect(found).toMatchObject({ leafIndex: size - 3, treeSize: size });
    });
  });

  describe('signatures', () => {
    test('only the largest checkpoint of a log is kept', async () => {
      const log = `log-${idOf('')}`;
      expect(await store().newestCheckpoint(log)).toBeNull();
      const at = (size: number) => ({ log, size, note: `note ${size}`, frontier: Buffer.from([size]) });
      for (const size of [3, 7, 5, 7]) await store().keepCheckpoint(at(size));
      expect(await store().newestCheckpoint(log)).toEqual(at(7));
    });

    test('verifier keys stay published, newest first, each once', async () => {
      const [one, two] = [`one ${idOf('')}`, `two ${idOf('')}`];
      for (const line of [one, two, one]) await store().publishVerifierKey(line, 5);
      expect((await store().verifierKeys()).slice(0, 2)).toEqual([two, one]);
    });
  });

  describe('pruning', () => {
    test('an object is erased with its redemptions; the hashes and everything else stay', async () => {
      const [workspace, stranger] = [await made(), await made()];
      const objectRef = `person ${idOf('')}`;
      const atMs = await store().newestAtMs();
      const requests = ['other', objectRef, 'other', objectRef].map((ref) =>
        newRequest(workspace, { objectRef: ref, atMs }),
      );
      const ids = requests.map(({ leaf }) => leaf.decision_id);
      const first = (await headOf()).size;
      await commitTo(store(), requests);
      await store().redeem(redemptionOf(workspace, { decisionId: ids[1]!, atMs, validUntilMs: atMs + 1 }));
      const theirs = newRequest(stranger, { objectRef, atMs });
      await commitTo(store(), [theirs]);
      const before = await store().segments(store().log, first, 10);
      const head = await headOf();
      expect(await countPrunable(store(), { workspace, objectRef })).toBe(3);
      expect(await countPrunable(store(), { workspace, beforeMs: atMs + 1 })).toBe(5);
      expect(await erase(store(), { workspace, objectRef })).toBe(3);
      expect(await countPrunable(store(), { workspace, objectRef })).toBe(0);
      expect(await erase(store(), { workspace, objectRef })).toBe(0);
      const after = await store().segments(store().log, first, 10);
      const lengths = after.flatMap(({ entries }) => entries.map(({ leaf }) => leaf.length > 0));
      expect(lengths).toEqual([true, false, true, false, false, true, true]);
      const hashes = after.map(({ leafHashes }) => leafHashes);
      expect(hashes.slice(0, before.length)).toEqual(before.map(({ leafHashes }) => leafHashes));
      // One entry for the one erasure that found something.
      expect((await headOf()).size).toBe(head.size + 1);
      expect(parseEntry(after.at(-1)!.entries[0]!.leaf)).toMatchObject({
        ...{ kind: 'records.erased', workspace, by: { kind: 'operator', id: 'tester' }, reason: 'asked to' },
        ...{ chosenBy: ['object'], before: null, decisions: [ids[1], ids[3]], reviews: [] },
        ...{ decisionCount: 2, entryCount: 3 },
      });
      expect(JSON.stringify(parseEntry(after.at(-1)!.entries[0]!.leaf))).not.toContain(objectRef);
      for (const [i, id] of ids.entries()) expect(await store().isErased(workspace, id)).toBe(i % 2 === 1);
      expect(await kindsOfOutcomes(store(), workspace, [ids[1]!, ids[2]!])).toEqual([
        'no_decision',
        'recorded',
      ]);
      expect(await store().isErased(stranger, ids[1]!)).toBe(false);
      expect(await store().findDecision(workspace, ids[1]!)).toBeNull();
      expect(await store().findDecision(workspace, ids[2]!)).not.toBeNull();
      expect(await store().findDecision(stranger, theirs.leaf.decision_id)).not.toBeNull();
      const page = await store().listDecisions({ workspace, limit: 10 });
      expect(page.kind === 'page' && page.decisions.map(({ decisionId }) => decisionId).sort()).toEqual(
        [ids[0]!, ids[2]!].sort(),
      );
    });

    test('a prune removes only the kept responses of the decisions that it erases', async () => {
      const [workspace, stranger] = [await made(), await made()];
      const objectRef = `person ${idOf('')}`;
      const atMs = await store().newestAtMs();
      const expiresAtMs = atMs + 1_000;
      /** What a key keeps names its decision. */
      const keep = async (owner: string, key: string, ref: string) => {
        const request = keptUnder(key, newRequest(owner, { objectRef: ref, atMs }), expiresAtMs);
        await commitTo(store(), [request]);
      };
      await keep(workspace, 'theirs', objectRef);
      await keep(workspace, 'other', 'other');
      await keep(stranger, 'same', objectRef);
      await keep(stranger, 'other', 'other');
      const kept = async () => {
        const names = [workspace, stranger].flatMap((owner) =>
          ['theirs', 'other', 'same'].map((key) => ({ owner, key })),
        );
        const found = await Promise.all(names.map(({ owner, key }) => store().findAnswer(owner, key, atMs)));
        // The key of an allow stays bound, to nothing: the write must not be allowed again under it.
        expect(found.flatMap((answer, i) => (answer === null ? [] : names[i]!.key))).toEqual(ALL);
        return names.filter((_, i) => (found[i]?.response.length ?? 0) > 0).map(({ key }) => key);
      };
      const ALL = ['theirs', 'other', 'other', 'same'];
      expect(await kept()).toEqual(ALL);
      await erase(store(), { workspace, objectRef });
      expect(await kept()).toEqual(['other', 'other', 'same']);
      await erase(store(), { workspace: stranger, objectRef });
      expect(await kept()).toEqual(['other', 'other']);
    });

    test('a prune that stops halfway is completed by the same prune again', async () => {
      const workspace = await made();
      const objectRef = `person ${idOf('')}`;
      const atMs = await store().newestAtMs();
      const request = keptUnder('kept', newRequest(workspace, { objectRef, atMs }), atMs + 1_000);
      const decisionId = request.leaf.decision_id;
      const first = (await headOf()).size;
      await commitTo(store(), [request]);
      // More commits than one step of a prune reads.
      for (let i = 0; i < 40; i += 1) await commitTo(store(), [newRequest(workspace, { atMs })]);
      await store().redeem(redemptionOf(workspace, { decisionId, atMs, validUntilMs: atMs + 1 }));
      let seen = 0;
      const stopped = erase(store(), { workspace, objectRef }, (done) => {
        seen = done;
        if (done > first) throw new Error('interrupted');
      });
      await expect(stopped).rejects.toThrow('interrupted');
      expect(seen).toBeLessThan((await headOf()).size);
      expect(await store().findDecision(workspace, decisionId)).toBeNull();
      const kept = async () => (await store().findAnswer(workspace, 'kept', atMs))!.response.length;
      expect(await kept()).toBeGreaterThan(0);
      expect(await erase(store(), { workspace, objectRef })).toBe(1);
      expect(await kept()).toBe(0);
      const page = await store().listDecisions({ workspace, objectRef, limit: 10 });
      expect(page).toMatchObject({ kind: 'page', decisions: [] });
      expect(await erase(store(), { workspace, objectRef })).toBe(0);
    });

    test('a long log is pruned with its redemptions, also by two concurrently', async () => {
      const workspace = await made();
      const atMs = await store().newestAtMs();
      const objectRefs = [`one ${idOf('')}`, `two ${idOf('')}`];
      const first = (await headOf()).size;
      // More commits than one step of a prune reads, with the redemptions after them all.
      const requests = Array.from({ length: 40 }, (_, i) =>
        newRequest(workspace, { objectRef: objectRefs[i % 2]!, atMs }),
      );
      for (const request of requests) await commitTo(store(), [request]);
      for (const { leaf } of requests)
        await store().redeem(
          redemptionOf(workspace, {
            ...{ decisionId: leaf.decision_id, atMs, decidedAtMs: atMs, validUntilMs: atMs + 1 },
          }),
        );
      const pruned = await Promise.all(
        objectRefs.map((objectRef) => erase(store(), { workspace, objectRef })),
      );
      expect(pruned).toEqual([40, 40]);
      const after = await store().segments(store().log, first, 100);
      const left = after.flatMap(({ entries }) => entries).filter(({ leaf }) => leaf.length > 0);
      expect(left.map(({ leaf }) => parseEntry(leaf)?.kind)).toEqual(['records.erased', 'records.erased']);
    });

    test('entries older than a moment are erased, entries of that moment stay', async () => {
      const workspace = await made();
      const atMs = (await store().newestAtMs()) + 1_000;
      const requests = [0, 1, 2].map((ms) => newRequest(workspace, { atMs: atMs + ms }));
      await commitTo(store(), requests);
      expect(await erase(store(), { workspace, beforeMs: atMs + 1 })).toBe(1);
      const found = await Promise.all(
        requests.map(({ leaf }) => store().findDecision(workspace, leaf.decision_id)),
      );
      expect(found.map((one) => one !== null)).toEqual([false, true, true]);
      const ids = requests.map(({ leaf }) => leaf.decision_id);
      expect(await store().isErased(workspace, ids[0]!)).toBe(true);
      expect(await store().isErased(workspace, ids[2]!)).toBe(false);
      expect(await kindsOfOutcomes(store(), workspace, [ids[0]!])).toEqual(['no_decision']);
    });

    test('a decision that is pruned immediately is still counted', async () => {
      for (let round = 0; round < 5; round += 1) {
        const workspace = await made();
        const atMs = (await store().newestAtMs()) + 1_000;
        await commitTo(store(), [newRequest(workspace, { atMs })]);
        expect(await erase(store(), { workspace, beforeMs: atMs + 1 })).toBe(1);
        const counts = await store().countDecisions(workspace, 0, atMs + 86_400_000, 'day');
        expect(counts.map(({ allow }) => allow)).toEqual([1]);
      }
    });
  });
};

/** Tests a separate store, which must be reopened to continue in the new log. */
export const testContinuedLog = (
  makeStore: () => Promise<{ open(): Promise<Store>; remove(): Promise<void> }>,
): void => {
  test('a log is continued by a new one, and nobody can make the old one grow beside it', async () => {
    const under = await makeStore();
    const store = await under.open();
    const { workspace, keys } = newWorkspace();
    await store.createWorkspace(workspace, keys);
    const old = newRequest(workspace.id);
    await commitTo(store, [old, newRequest(workspace.id)]);
    const from = { log: store.log, size: 2 };
    const atMs = await store.newestAtMs();
    const timestamp = new Date(atMs).toISOString();
    const log = 'log-after';
    const leaf = continuationBytes({ kind: 'continuation', log, timestamp, checkpoint: 'a note' });
    expect(await store.continueLogs([{ log, leaf, atMs, from: { ...from, size: 1 } }])).toBe(false);
    expect(await store.continueLogs([{ log, leaf, atMs, from }])).toBe(true);
    expect(await store.continueLogs([{ log: 'log-twice', leaf, atMs, from }])).toBe(false);
    await expect(commitTo(store, [newRequest(workspace.id)])).rejects.toThrow();
    await store.close();
    let reopened = await under.open();
    expect(reopened.log).toBe(log);
    expect((await reopened.logs()).map((head) => [head.log, head.size])).toEqual([
      [from.log, 2],
      [log, 1],
    ]);
    const next = newRequest(workspace.id);
    await commitTo(reopened, [next]);
    expect(await reopened.findDecision(workspace.id, next.leaf.decision_id)).toMatchObject({
      ...{ log, leafIndex: 1, treeSize: 2 },
    });
    expect(await reopened.findDecision(workspace.id, old.leaf.decision_id)).toMatchObject({
      ...{ log: from.log, leafIndex: 0, treeSize: 2 },
    });
    // A log may also be continued at an earlier time, after a clock was ahead; its decisions are still found.
    const earlierMs = atMs - 3_600_000;
    const third = 'log-earlier';
    const begins = continuationBytes({ kind: 'continuation', log: third, timestamp, checkpoint: 'a note' });
    const continued = { log: third, leaf: begins, atMs: earlierMs, from: { log, size: 2 } };
    expect(await reopened.continueLogs([continued])).toBe(true);
    await reopened.close();
    const last = await under.open();
    expect([await last.newestAtMs(), (await last.look()).newestAtMs]).toEqual([earlierMs, earlierMs]);
    const earlier = newRequest(workspace.id, { atMs: earlierMs + 1 });
    await commitTo(last, [earlier]);
    for (const request of [earlier, next, old])
      expect(await last.findDecision(workspace.id, request.leaf.decision_id)).not.toBeNull();
    await last.close();
    const pruned = await under.open();
    expect(await erase(pruned, { beforeMs: atMs + 86_400_000 })).toBe(4);
    await pruned.close();
    reopened = await under.open();
    const [first] = await reopened.segments(log, 0, 1);
    expect(parseEntry(first!.entries[0]!.leaf)?.kind).toBe('continuation');
    await reopened.close();
    await under.remove();
  });
};

/** Reports outcomes as if the service had not yet noticed that some decisions are gone. */
async function kindsOfOutcomes(store: Store, workspace: string, ids: readonly string[]) {
  const told = { workspace, result: 'done', atMs: 1, recordedAtMs: await store.newestAtMs() } as const;
  const { recorded } = await store.commit(
    [],
    ids.map((decisionId) => ({ ...told, decisionId, by: COMMAND_LINE, note: 'a note', ref: null })),
  );
  return recorded.map(({ kind }) => kind);
}
