/** What every store must do for reviews: compare-and-swap with the log, limits, lists, and what pruning leaves. */
import { DAY_MS, REVIEW_DESK } from '@writecheck/contract';
import { Frontier, leafHash, parseEntry } from '@writecheck/ledger';
import { describe, expect, test } from 'vitest';
import type { OpenLimits, ReviewChange, ReviewQuery, StoredReview } from '../../src/port/reviews.ts';
import type { Store } from '../../src/port.ts';
import { erase } from '../erase.ts';
import { inviting, newPerson, nextPerson } from './store-contract-people.ts';
import { entryOf, newReview, next, opening } from './store-contract-reviews-values.ts';
import { COMMAND_LINE, commitTo, digestNamed, idOf, newRequest } from './store-contract-values.ts';

const NO_LIMITS: OpenLimits = { openOfKeyMax: 99, openedOfKeyMax: 99, sinceMs: 0, openOfWorkspaceMax: 99 };
const CHANGED = { kind: 'changed' };
const CONFLICT = { kind: 'conflict' };

export const describeReviews = (under: {
  readonly store: () => Store;
  readonly other: () => Promise<Store>;
  readonly made: () => Promise<string>;
}): void => {
  const { store, made } = under;
  const found = async ({ workspace, id }: StoredReview) =>
    (await store().findReviews(workspace, [id]))[0] ?? null;
  const opened = async (workspace: string, changes: Partial<StoredReview> = {}): Promise<StoredReview> => {
    const review = newReview(workspace, changes);
    expect(await store().changeReviews([opening(review)])).toEqual(CHANGED);
    return review;
  };
  const approved = async (workspace: string, changes: Partial<StoredReview> = {}): Promise<StoredReview> => {
    const change = next(await opened(workspace, changes), 'approved', {
      ...{ state: 'approved', resolvedAtMs: 1_500 },
    });
    expect(await store().changeReviews([change])).toEqual(CHANGED);
    return change.review;
  };
  const headOf = async () => (await store().logs()).find(({ log }) => log === store().log)!;
  const entriesFrom = async (index: number) =>
    (await store().segments(store().log, index, 100)).flatMap(({ firstIndex, entries }) =>
      entries.slice(Math.max(0, index - firstIndex)),
    );

  describe('a review', () => {
    test('is written with its log entries, and read back unchanged', async () => {
      const workspace = await made();
      const review = newReview(workspace, {
        ...{ objectRef: 'C-1', keyKind: 'development', controlIds: ['b', 'a'], askedBy: ['key_2', 'key_1'] },
      });
      const size = (await headOf()).size;
      expect(await store().changeReviews([opening(review)])).toEqual(CHANGED);
      expect(await found(review)).toEqual({ ...review, isUsed: false });
      const { state, resolvedAtMs } = { state: 'rejected', resolvedAtMs: 1_700 } as const;
      const after = { ...review, version: 2, state, resolvedAtMs, document: '{"b":1}' };
      const entries = [entryOf(after, 'verdict', 1_700), entryOf(after, 'rejected', 1_700)];
      expect(await store().changeReviews([{ review: after, entries }])).toEqual(CHANGED);
      expect(await found(review)).toEqual({ ...after, isUsed: false });
      const { log } = store();
      const stored = await entriesFrom(size);
      expect(stored.map(({ leaf }) => parseEntry(leaf))).toEqual(
        [entryOf(review, 'opened', 1_000), ...entries].map((entry) => ({ ...entry, log })),
      );
      expect(stored.every(({ record }) => record.length === 0)).toBe(true);
      expect((await headOf()).size).toBe(size + 3);
    });

    test('of another workspace is not found, and neither are unknown ids', async () => {
      const review = await opened(await made());
      const stranger = await made();
      expect(await store().findReviews(stranger, [review.id])).toEqual([]);
      const ids = [idOf('rev_'), review.id];
      expect((await store().findReviews(review.workspace, ids)).map(({ id }) => id)).toEqual([review.id]);
    });

    test('is read for a check together with the running policy', async () => {
      const review = await opened(await made());
      const { workspace } = review;
      const read = () => store().reviewsAtCheck(workspace, [idOf('rev_'), review.id]);
      expect(await read()).toEqual([{ ...review, isUsed: false, runningDigest: null }]);
      for (const digest of ['one', 'two', 'one'].map(digestNamed)) {
        await store().appendPolicy({
          ...{ workspace, digest, documents: '[]', by: COMMAND_LINE, createdAtMs: 1_000, rollbackOf: null },
        });
        expect(await read()).toMatchObject([{ id: review.id, runningDigest: digest }]);
      }
      expect(await store().reviewsAtCheck(await made(), [review.id])).toEqual([]);
    });

    test('holds any text', async () => {
      const odd = 'a\u0000b \\0 \\ "\u2028 𝔘 ü';
      const review = await opened(await made(), {
        ...{
          system: `s${odd}`,
          objectRef: odd.repeat(200),
          controlIds: [odd],
          document: JSON.stringify(odd) + odd,
        },
      });
      expect(await found(review)).toEqual({ ...review, isUsed: false });
      const { workspace, system, controlIds } = review;
      for (const filter of [{ system }, { objectRef: review.objectRef! }, { controlId: controlIds[0]! }]) {
        const page = await store().listReviews({ workspace, limit: 5, ...filter });
        expect(page).toMatchObject({ kind: 'page', reviews: [{ id: review.id }] });
      }
      const page = await store().listReviews({ workspace, limit: 5, system: `s${odd}x` });
      expect(page).toMatchObject({ reviews: [] });
    });
  });

  describe('compare-and-swap', () => {
    test('refuses a row that was changed meanwhile, and writes nothing else of that change', async () => {
      const workspace = await made();
      const [one, two] = [await opened(workspace), await opened(workspace)];
      expect(await store().changeReviews([next(one, 'commented')])).toEqual(CHANGED);
      const size = (await headOf()).size;
      const stale = next(one, 'cancelled', { state: 'cancelled', resolvedAtMs: 1_100 });
      const fresh = newReview(workspace);
      for (const changes of [[stale], [next(two, 'commented'), stale], [opening(fresh), stale]]) {
        expect(await store().changeReviews(changes)).toEqual(CONFLICT);
      }
      expect((await found(one))?.state).toBe('open');
      expect((await found(two))?.version).toBe(1);
      expect(await found(fresh)).toBeNull();
      expect((await headOf()).size).toBe(size);
      expect(await store().changeReviews([next(newReview(workspace), 'commented')])).toEqual(CONFLICT);
      expect(await store().changeReviews([opening({ ...one, intentDigest: 'other' })])).toEqual(CONFLICT);
    });

    test('lets one of many win, over any connection', async () => {
      const review = await opened(await made());
      const second = await under.other();
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, i) => {
          const state = i % 2 === 0 ? 'approved' : 'rejected';
          const change = next(review, state, { state, resolvedAtMs: 1_500 });
          return (i < 10 ? store() : second).changeReviews([change]);
        }),
      );
      expect(outcomes.filter(({ kind }) => kind === 'changed')).toHaveLength(1);
      expect(outcomes.filter(({ kind }) => kind === 'conflict')).toHaveLength(19);
      expect((await found(review))?.version).toBe(2);
      await second.close();
    });

    test('keeps one open review of a write and kind of key, even in a race', async () => {
      const workspace = await made();
      const { intentDigest } = newReview(workspace);
      const second = await under.other();
      const all = Array.from({ length: 20 }, () => newReview(workspace, { intentDigest }));
      const outcomes = await Promise.all(
        all.map((review, i) => (i < 10 ? store() : second).changeReviews([opening(review)], NO_LIMITS)),
      );
      expect(outcomes.filter(({ kind }) => kind === 'changed')).toHaveLength(1);
      await second.close();
      const other = newReview(workspace, { intentDigest, keyKind: 'development' });
      expect(await store().changeReviews([opening(other)])).toEqual(CHANGED);
      const [open] = await store().reviewsOfWrite(workspace, intentDigest, 'live');
      const { isUsed: _, ...row } = open!;
      const closing = next(row, 'cancelled', { state: 'cancelled', resolvedAtMs: 1_100 });
      const successor = newReview(workspace, { intentDigest });
      // The order does not matter: a closed review makes room.
      expect(await store().changeReviews([opening(successor), closing])).toEqual(CHANGED);
      const both = await store().reviewsOfWrite(workspace, intentDigest, 'live');
      expect(new Set(both.map(({ state }) => state))).toEqual(new Set(['open', 'cancelled']));
    });

    test('keeps the log whole under races, with one entry for each change', async () => {
      const workspace = await made();
      const second = await under.other();
      const size = (await headOf()).size;
      await Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          i % 3 === 2
            ? commitTo(store(), [newRequest(workspace)])
            : (i % 2 === 0 ? store() : second).changeReviews([opening(newReview(workspace))]),
        ),
      );
      await second.close();
      for (const { log, size: of, frontier } of await store().logs()) {
        const tree = new Frontier();
        for (const { leafHashes, entries } of await store().segments(log, 0, 100_000)) {
          for (const [i, { leaf }] of entries.entries()) {
            const hash = leafHashes.subarray(i * 32, i * 32 + 32);
            if (leaf.length > 0) expect(Buffer.from(leafHash(leaf)).equals(hash)).toBe(true);
            tree.append(hash);
          }
        }
        expect([log, tree.size, Buffer.from(tree.toBytes())]).toEqual([log, of, Buffer.from(frontier)]);
      }
      expect((await headOf()).size).toBeGreaterThan(size);
    });
  });

  describe('limits', () => {
    const openedBy = (workspace: string, key: string, openedAtMs = 1_000): ReviewChange =>
      opening(newReview(workspace, { askedBy: [key, 'key_other'], openedAtMs, expiresAtMs: openedAtMs + 1 }));

    test('of a key and of a workspace hold in the transaction, even in a race', async () => {
      const second = await under.other();
      const limits = [
        ['open_of_key', { ...NO_LIMITS, openOfKeyMax: 3 }],
        ['opened_of_key', { ...NO_LIMITS, openedOfKeyMax: 3 }],
        ['open_of_workspace', { ...NO_LIMITS, openOfWorkspaceMax: 3 }],
      ] as const;
      for (const [which, limit] of limits) {
        const workspace = await made();
        const outcomes = await Promise.all(
          Array.from({ length: 8 }, (_, i) =>
            (i < 4 ? store() : second).changeReviews([openedBy(workspace, 'key_1')], limit),
          ),
        );
        const kinds = outcomes.map((outcome) => (outcome.kind === 'too_many' ? outcome.which : outcome.kind));
        expect(
          kinds.filter((kind) => kind === 'changed'),
          which,
        ).toHaveLength(3);
        expect(
          kinds.filter((kind) => kind === which),
          which,
        ).toHaveLength(5);
      }
      await second.close();
    });

    test('count reviews by the key that asked first: open ones, and those opened since', async () => {
      const workspace = await made();
      const limits = { openOfKeyMax: 1, openedOfKeyMax: 2, sinceMs: 1_000, openOfWorkspaceMax: 2 };
      const attempt = (key: string, atMs: number) =>
        store().changeReviews([openedBy(workspace, key, atMs)], limits);
      const close = async (review: StoredReview) =>
        store().changeReviews([next(review, 'cancelled', { state: 'cancelled', resolvedAtMs: 3_000 })]);
      const first = openedBy(workspace, 'key_1', 1_000);
      expect(await store().changeReviews([first], limits)).toEqual(CHANGED);
      expect(await attempt('key_1', 1_001)).toEqual({ kind: 'too_many', which: 'open_of_key' });
      // That key has always been second.
      expect(await attempt('key_other', 1_001)).toEqual(CHANGED);
      expect(await attempt('key_3', 1_001)).toEqual({ kind: 'too_many', which: 'open_of_workspace' });
      await close(first.review);
      // The first was opened at that very moment, not after it.
      for (const atMs of [1_001, 1_002]) {
        const change = openedBy(workspace, 'key_1', atMs);
        expect(await store().changeReviews([change], limits)).toEqual(CHANGED);
        await close(change.review);
      }
      expect(await attempt('key_1', 1_003)).toEqual({ kind: 'too_many', which: 'opened_of_key' });
      expect(await store().changeReviews([openedBy(workspace, 'key_1')])).toEqual(CHANGED);
    });
  });

  describe('an approval', () => {
    const itemOf = ({ id }: StoredReview, control?: string) => ({
      ...{ source: REVIEW_DESK, jti: control === undefined ? id : `${id}:${control}` },
    });

    test('is used once, and the review says so', async () => {
      const review = await approved(await made());
      const { workspace } = review;
      expect((await found(review))?.isUsed).toBe(false);
      const use = () => commitTo(store(), [newRequest(workspace, { consumes: [itemOf(review)] })]);
      const outcomes = (await Promise.all([use(), use()])).flat();
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['committed', 'decide_again']);
      expect((await found(review))?.isUsed).toBe(true);
      const page = await store().listReviews({ workspace, limit: 5 });
      expect(page).toMatchObject({ reviews: [{ isUsed: true }] });
    });

    test('that was cancelled stops commits, replays and redemptions that rest on it', async () => {
      const review = await approved(await made(), { controlIds: ['a', 'b'] });
      const { workspace } = review;
      const cancelling = { ...next(review, 'cancelled', { state: 'cancelled' }), revokes: true } as const;
      expect(await store().changeReviews([cancelling])).toEqual(CHANGED);
      const items = [itemOf(review), itemOf(review, 'a'), itemOf(review, 'b')];
      expect((await store().attestationStates(workspace, items)).map(({ revoked }) => revoked)).toEqual([
        ...[true, true, true],
      ]);
      for (const item of items) {
        const [outcome] = await commitTo(store(), [newRequest(workspace, { restsOn: [item] })]);
        expect(outcome).toEqual({ kind: 'decide_again' });
        const redeemed = await store().redeem({
          ...{
            workspace,
            decisionId: idOf('dec_'),
            keyId: 'key_1',
            keyKind: 'live',
            atMs: 5,
            decidedAtMs: 4,
          },
          ...{ idempotency: null, intentDigest: review.intentDigest, policyRef: null, validUntilMs: 10 },
          ...{ answer: { expiresAtMs: 0, keptUntilMs: 1 }, freezeNumber: 0, isFrozen: false },
          restsOn: [item],
        });
        expect(redeemed).toEqual({ kind: 'evidence_revoked' });
      }
    });

    test('whose cancelling lost a race is not revoked', async () => {
      const review = await opened(await made());
      await store().changeReviews([next(review, 'commented')]);
      const late = { ...next(review, 'cancelled', { state: 'cancelled' }), revokes: true } as const;
      expect(await store().changeReviews([late])).toEqual(CONFLICT);
      const [state] = await store().attestationStates(review.workspace, [itemOf(review)]);
      expect(state?.revoked).toBe(false);
    });
  });

  describe('lists of reviews', () => {
    const read = async (query: Omit<ReviewQuery, 'limit'>, limit: number): Promise<readonly string[]> => {
      const ids: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await store().listReviews({
          ...query,
          limit,
          ...(cursor === undefined ? {} : { cursor }),
        });
        if (page.kind !== 'page') throw new Error(page.kind);
        expect(page.reviews.length).toBeLessThanOrEqual(limit);
        ids.push(...page.reviews.map(({ id }) => id));
        if (page.nextCursor === null) return ids;
        cursor = page.nextCursor;
      }
    };

    test('show open ones by expiry, then others newest first, on pages of any size and with any filter', async () => {
      const workspace = await made();
      await opened(await made());
      const rows: StoredReview[] = [];
      const states = ['open', 'rejected', 'expired', 'cancelled', 'approved'] as const;
      for (let i = 0; i < 40; i += 1) {
        const change = {
          ...{ expiresAtMs: 5_000 - (i % 7), openedAtMs: 100 + i, system: i % 2 === 0 ? 'crm' : 'erp' },
          ...{ objectRef: i % 3 === 0 ? null : `C-${i % 3}`, controlIds: i % 4 === 0 ? ['a', 'b'] : ['b'] },
          askedBy: [`key_${i % 5}`, ...(i % 6 === 0 ? ['key_x'] : [])],
        };
        const review = await opened(workspace, change);
        const state = states[i % states.length]!;
        if (state === 'open') rows.push(review);
        else {
          const closing = next(review, state, { state, resolvedAtMs: 9_000 + (i % 11) });
          await store().changeReviews([closing]);
          rows.push(closing.review);
        }
      }
      const sorted = (wanted: (review: StoredReview) => boolean): readonly string[] => {
        const place = ({ state, expiresAtMs, resolvedAtMs }: StoredReview) =>
          state === 'open' ? expiresAtMs : 1e12 - resolvedAtMs!;
        return rows
          .filter(wanted)
          .sort((a, b) => place(a) - place(b) || (a.id < b.id ? -1 : 1))
          .map(({ id }) => id);
      };
      const filters: readonly (readonly [Partial<ReviewQuery>, (review: StoredReview) => boolean])[] = [
        [{}, () => true],
        [{ state: 'open' }, ({ state }) => state === 'open'],
        [
          { state: 'rejected', system: 'crm' },
          ({ state, system }) => state === 'rejected' && system === 'crm',
        ],
        [{ objectRef: 'C-1' }, ({ objectRef }) => objectRef === 'C-1'],
        [{ controlId: 'a' }, ({ controlIds }) => controlIds.includes('a')],
        [{ intentDigest: rows[3]!.intentDigest }, ({ id }) => id === rows[3]!.id],
        [{ askedByAnyOf: ['key_x', 'key_0', 'key_x'] }, ({ askedBy }) => /key_[x0]/.test(askedBy.join())],
        [
          { askedByAnyOf: ['key_2'], controlId: 'b', objectRef: 'C-2' },
          ({ askedBy, objectRef }) => askedBy.includes('key_2') && objectRef === 'C-2',
        ],
        [{ askedByAnyOf: [] }, () => false],
        [{ system: 'other' }, () => false],
      ];
      for (const [filter, wanted] of filters) {
        for (const limit of [1, 7, 100]) {
          expect(await read({ workspace, ...filter }, limit), JSON.stringify(filter)).toEqual(sorted(wanted));
        }
      }
    }, 60_000);

    test('follow a change of state and of askers', async () => {
      const review = await opened(await made());
      const { workspace } = review;
      const joined = next(review, 'asked', { askedBy: ['key_1', 'key_9'] });
      await store().changeReviews([joined]);
      expect(await read({ workspace, askedByAnyOf: ['key_9'] }, 5)).toEqual([review.id]);
      await store().changeReviews([
        next(joined.review, 'expired', { state: 'expired', resolvedAtMs: 2_000 }),
      ]);
      expect(await read({ workspace, state: 'open' }, 5)).toEqual([]);
      expect(await read({ workspace, state: 'expired', askedByAnyOf: ['key_9', 'key_1'] }, 5)).toEqual([
        review.id,
      ]);
    });

    test('refuse an invalid cursor', async () => {
      const workspace = await made();
      const of = (text: string) => Buffer.from(text).toString('base64url');
      for (const cursor of ['', 'x', of('1'), of('x.rev_1'), of('99999999999999999.rev_1'), of('1.rev_1;')]) {
        expect(await store().listReviews({ workspace, limit: 5, cursor })).toEqual({ kind: 'bad_cursor' });
      }
    });

    test('of one write show the newest first, and of similar writes the rejected ones first', async () => {
      const workspace = await made();
      const { likeness, intentDigest } = newReview(workspace);
      const made1 = async (openedAtMs: number, resolvedAtMs: number | null) => {
        const review = await opened(workspace, { likeness, intentDigest, openedAtMs });
        if (resolvedAtMs === null) return review.id;
        await store().changeReviews([next(review, 'rejected', { state: 'rejected', resolvedAtMs })]);
        return review.id;
      };
      const ids = [
        await made1(100, 900),
        await made1(200, 500),
        await made1(300, 400),
        await made1(600, null),
      ];
      await opened(await made(), { likeness, intentDigest });
      const idsOf = (reviews: readonly { readonly id: string }[]) => reviews.map(({ id }) => id);
      const ofWrite = await store().reviewsOfWrite(workspace, intentDigest, 'live');
      expect(idsOf(ofWrite)).toEqual([...ids].reverse());
      expect(await store().reviewsOfWrite(workspace, intentDigest, 'development')).toEqual([]);
      const like = (sinceMs: number) => store().reviewsLike(workspace, likeness, sinceMs).then(idsOf);
      expect(await like(500)).toEqual([ids[0], ids[1], ids[3]]);
      expect(await like(501)).toEqual([ids[0], ids[3]]);
    });

    test('of overdue reviews show the oldest of every workspace first, and metrics count open ones', async () => {
      const before = await store().openReviews();
      const [one, two] = [await made(), await made()];
      const late = await opened(one, { expiresAtMs: 12, openedAtMs: 11 });
      const later = await opened(two, { expiresAtMs: 13, openedAtMs: 10 });
      await opened(one, { expiresAtMs: 14, openedAtMs: 12 });
      await store().changeReviews([
        next(await opened(two, { expiresAtMs: 11 }), 'expired', { state: 'expired', resolvedAtMs: 11 }),
      ]);
      const overdue = async (nowMs: number, limit: number) =>
        (await store().overdueReviews(nowMs, limit)).map(({ id }) => id);
      expect(await overdue(13, 9)).toEqual([late.id, later.id]);
      expect(await overdue(14, 1)).toEqual([late.id]);
      expect(await overdue(11, 9)).toEqual([]);
      expect(await store().openReviews()).toEqual({ count: before.count + 3, oldestOpenedAtMs: 10 });
    });
  });

  test('a change that rests on people is written only if they are unchanged', async () => {
    const workspace = await made();
    const person = newPerson(workspace);
    await store().changePerson(inviting(person));
    const review = await opened(workspace);
    const seen = [{ id: person.id, version: 1 }];
    const commented = next(review, 'commented');
    await store().changePerson(nextPerson(person, 'changed', { groups: [] }));
    expect(await store().changeReviews([commented], undefined, seen)).toEqual({ kind: 'conflict' });
    expect(await store().changeReviews([commented], undefined, [{ id: 'per_nobody', version: 1 }])).toEqual({
      kind: 'conflict',
    });
    expect((await found(review))?.version).toBe(1);
    const now = [{ id: person.id, version: 2 }];
    expect(await store().changeReviews([commented], undefined, now)).toEqual({ kind: 'changed' });
    expect((await found(review))?.version).toBe(2);
  });

  test('if a verdict races with a change of its author, the later one sees the earlier one', async () => {
    const workspace = await made();
    for (let round = 0; round < 8; round += 1) {
      const person = newPerson(workspace);
      await store().changePerson(inviting(person));
      const review = await opened(workspace);
      const seen = [{ id: person.id, version: 1 }];
      const verdict = next(review, 'verdict');
      const disabled = nextPerson(person, 'disabled', { state: 'disabled', epoch: 2 });
      const changes = [
        () => store().changeReviews([verdict], undefined, seen),
        () => store().changePerson(disabled),
      ];
      if (round % 2 === 1) changes.reverse();
      await Promise.all(changes.map((change) => change()));
      const version = (await found(review))!.version;
      const leaves = (await store().segments(store().log, 0, 100_000)).flatMap((segment) => segment.entries);
      const kinds = leaves
        .map(({ leaf }) => (leaf.length === 0 ? null : parseEntry(leaf)))
        .filter(
          (entry) =>
            (entry?.kind === 'review' && entry.review === review.id && entry.event === 'verdict') ||
            (entry?.kind === 'person' && entry.person === person.id && entry.event === 'disabled'),
        )
        .map((entry) => entry!.kind);
      expect(kinds).toEqual(version === 2 ? ['review', 'person'] : ['person']);
    }
  });

  describe('pruning', () => {
    /** A review of a decision that is in the log, with times around the log's own. */
    const recorded = async (
      workspace: string,
      objectRef: string,
      state: StoredReview['state'],
      {
        isUsed = false,
        validForMs = DAY_MS,
        agoMs = 0,
      }: Partial<Record<'validForMs' | 'agoMs', number>> & { isUsed?: boolean } = {},
    ) => {
      const atMs = await store().newestAtMs();
      const paused = newRequest(workspace, { objectRef, atMs, decision: 'pause' });
      const decisionId = paused.leaf.decision_id;
      await commitTo(store(), [paused]);
      const document = JSON.stringify({ decisionId, validUntilMs: atMs + validForMs });
      const times = { openedAtMs: atMs, expiresAtMs: atMs + DAY_MS };
      let review = newReview(workspace, { objectRef, document, ...times });
      await store().changeReviews([opening(review, atMs)]);
      if (state !== 'open') {
        const closing = next(review, state, { state, resolvedAtMs: atMs - agoMs }, atMs);
        await store().changeReviews([closing]);
        review = closing.review;
      }
      const consumes = [{ source: REVIEW_DESK, jti: review.id }];
      if (isUsed)
        await commitTo(store(), [newRequest(workspace, { objectRef: 'elsewhere', atMs, consumes })]);
      return { review, decisionId };
    };
    const isLeft = async (
      workspace: string,
      { review, decisionId }: Awaited<ReturnType<typeof recorded>>,
    ) => {
      const logs = await store().logs();
      const segments = await Promise.all(logs.map(({ log }) => store().segments(log, 0, 100_000)));
      const entries = segments
        .flat()
        .flatMap((segment) => segment.entries)
        .map(({ leaf }) => (leaf.length === 0 ? null : parseEntry(leaf)))
        .filter((entry) => entry?.kind === 'review' && entry.review === review.id);
      // Uses a filter, because a filtered list reads only days that are known to have such decisions.
      const page = await store().listDecisions({ workspace, limit: 100, decision: 'pause' });
      const listed = page.kind === 'page' && page.decisions.some((each) => each.decisionId === decisionId);
      return {
        ...{ decision: (await store().findDecision(workspace, decisionId)) !== null, listed },
        ...{ row: (await found(review)) !== null, entries: entries.length > 0 },
      };
    };
    const ALL = { decision: true, listed: true, row: true, entries: true };
    const NONE = { decision: false, listed: false, row: false, entries: false };

    test('by object and by age leaves what open reviews, unused approvals and a day of rejections need, and nothing else', async () => {
      for (const by of ['object', 'age'] as const) {
        const [workspace, stranger] = [await made(), await made()];
        const objectRef = `person ${idOf('')}`;
        const left = [
          await recorded(workspace, objectRef, 'open'),
          await recorded(workspace, objectRef, 'approved'),
          await recorded(workspace, objectRef, 'rejected'),
        ];
        const gone = [
          await recorded(workspace, objectRef, 'rejected', { agoMs: DAY_MS }),
          await recorded(workspace, objectRef, 'expired'),
          await recorded(workspace, objectRef, 'cancelled'),
          await recorded(workspace, objectRef, 'approved', { isUsed: true }),
          await recorded(workspace, objectRef, 'approved', { validForMs: 0 }),
        ];
        const theirs = await recorded(stranger, objectRef, 'rejected');
        const elsewhere = await recorded(workspace, 'other', 'expired');
        const beforeMs = (await store().newestAtMs()) + 2 * DAY_MS;
        const query = by === 'object' ? { workspace, objectRef } : { workspace, beforeMs };
        expect(await erase(store(), query)).toBeGreaterThan(0);
        expect(await erase(store(), query)).toBe(0);
        for (const each of left) expect(await isLeft(workspace, each), each.review.state).toEqual(ALL);
        for (const each of gone) expect(await isLeft(workspace, each), each.review.state).toEqual(NONE);
        expect(await isLeft(stranger, theirs)).toEqual(ALL);
        expect(await isLeft(workspace, elsewhere)).toEqual(by === 'object' ? ALL : NONE);
        const all = await store().listReviews({ workspace, limit: 100 });
        expect(all.kind === 'page' && all.reviews).toHaveLength(by === 'object' ? 4 : 3);
      }
    }, 60_000);
  });
};
