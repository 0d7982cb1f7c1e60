import { expect, test } from 'vitest';
import { fc } from '../../../../scripts/fast-check.ts';
import {
  BYTES_OF_REQUEST,
  LIMIT,
  NOVEMBER,
  PlainStore,
  requestGroups,
  type TestRequest,
} from '../../test/admission-model.ts';
import { type AdmittedGroup, type AdmittedRequest, admit, attestationKey, NO_BUNDLE } from './admit.ts';
import { dayOf } from './stored-bytes.ts';

/** What a caller learns about a request, and by which one it was decided. */
function told(outcome: AdmittedRequest<TestRequest>): unknown {
  if (outcome.kind === 'twin') return { kind: 'twin', response: String(outcome.stored.response) };
  if (outcome.kind !== 'admitted' && outcome.kind !== 'over') return outcome.kind;
  return {
    kind: outcome.kind,
    used: outcome.account.usedBefore + outcome.rank,
    ...(outcome.kind === 'admitted' ? { id: outcome.request.id } : {}),
  };
}

function admittedIn({ requests }: AdmittedGroup<TestRequest>): readonly TestRequest[] {
  return requests.flatMap((outcome) => (outcome.kind === 'admitted' ? [outcome.request] : []));
}

function storeWith(used: number): PlainStore {
  const store = new PlainStore();
  store.charge({ workspace: 'ws_1', period: NOVEMBER, kind: 'development' }, used);
  store.revoked.add(attestationKey({ workspace: 'ws_2', source: 's', jti: 'j1' }));
  return store;
}

/** The whole at night. */
const RUNS = process.env.npm_lifecycle_event === 'nightly' ? 2_000 : 500;

function holds(check: (requests: readonly TestRequest[], used: number) => void): void {
  fc.assert(fc.property(requestGroups, fc.integer({ min: 0, max: LIMIT + 1 }), check), {
    numRuns: RUNS,
  });
}

test('no account is charged over its limit, and none is refused the rest of its limit', () => {
  holds((requests, used) => {
    const admission = admit(requests, storeWith(used));
    for (const { quota, usedBefore, charged } of admission.accounts) {
      expect(charged).toBeGreaterThan(0);
      if (quota !== null) expect(usedBefore + charged).toBeLessThanOrEqual(quota);
    }
    for (const outcome of admission.requests) {
      if (outcome.kind !== 'over') continue;
      const { account, rank } = outcome;
      expect(account.usedBefore + rank).toBeGreaterThanOrEqual(account.quota!);
    }
    const charged = admission.accounts.reduce((sum, account) => sum + account.charged, 0);
    expect(admittedIn(admission)).toHaveLength(charged);
  });
});

test('no day stores more than its ceiling, and a request is refused only if the rest has no room for it', () => {
  fc.assert(
    fc.property(requestGroups, fc.integer({ min: 0, max: 12 }), (requests, requestsMax) => {
      const store = new PlainStore();
      store.storesAtMost = requestsMax * BYTES_OF_REQUEST;
      const admission = admit(requests, store);
      for (const { bytes } of admission.stored) expect(bytes).toBeLessThanOrEqual(store.storesAtMost);
      for (const [i, { kind }] of admission.requests.entries()) {
        if (kind !== 'stored_enough') continue;
        const { workspace, storedBytes, atMs } = requests[i]!;
        const day = dayOf(atMs);
        const stored = admission.stored.find((each) => each.workspace === workspace && each.day === day);
        expect((stored?.bytes ?? 0) + storedBytes).toBeGreaterThan(store.storesAtMost);
      }
      const alone = admit(
        requests.filter(({ workspace }) => workspace === 'ws_1'),
        store,
      );
      const ofOne = admission.requests.filter((_, i) => requests[i]!.workspace === 'ws_1');
      expect(ofOne.map(({ kind }) => kind)).toEqual(alone.requests.map(({ kind }) => kind));
    }),
    { numRuns: RUNS },
  );
});

test('how requests are grouped into commits changes nothing', () => {
  fc.assert(
    fc.property(requestGroups, fc.nat(12), fc.nat(LIMIT + 1), (requests, cut, used) => {
      const together = admit(requests, storeWith(used)).requests.map(told);
      const store = storeWith(used);
      const first = admit(requests.slice(0, cut), store);
      store.commit(first);
      const second = admit(requests.slice(cut), store);
      expect([...first.requests, ...second.requests].map(told)).toEqual(together);
    }),
    { numRuns: RUNS },
  );
});

test('requests of another workspace change nothing', () => {
  holds((requests, used) => {
    const together = admit(requests, storeWith(used)).requests.map(told);
    for (const workspace of ['ws_1', 'ws_2']) {
      const isOwn = (_: unknown, i: number): boolean => requests[i]!.workspace === workspace;
      const alone = admit(requests.filter(isOwn), storeWith(used)).requests.map(told);
      expect(alone).toEqual(together.filter(isOwn));
    }
  });
});

test('the order of requests that share no key and no attestation changes no charge', () => {
  holds((requests, used) => {
    const plain = requests.map((request) => ({ ...request, idempotency: null, consumes: [], restsOn: [] }));
    const chargesOf = (order: readonly TestRequest[]) =>
      admit(order, storeWith(used))
        .accounts.map(({ workspace, period, kind, charged }) => `${workspace} ${period} ${kind} ${charged}`)
        .sort();
    expect(chargesOf(plain.toReversed())).toEqual(chargesOf(plain));
  });
});

test('an attestation is consumed once, whatever races for it', () => {
  holds((requests, used) => {
    const admission = admit(requests, storeWith(used));
    const taken = admittedIn(admission).flatMap(({ workspace, consumes }) =>
      consumes.map((item) => attestationKey({ workspace, ...item })),
    );
    expect(new Set(taken).size).toBe(taken.length);
    expect(admission.consumes.map(attestationKey).sort()).toEqual(taken.sort());
  });
});

test('nothing that rests on a revoked attestation is admitted', () => {
  holds((requests, used) => {
    const { restsOn } = admit(requests, storeWith(used));
    expect(restsOn.filter(({ workspace, jti }) => workspace === 'ws_2' && jti === 'j1')).toEqual([]);
  });
});

/** The request that a row is kept for. */
const nameIn = (digest: string) => digest.replace(/^untaken:|:c\d$/g, '');

test('under one key one allow is taken, however often a claim got none before', () => {
  holds((drafts, used) => {
    const requests = drafts.map((draft) =>
      draft.idempotency === null
        ? draft
        : { ...draft, idempotency: { ...draft.idempotency, expiresAtMs: Number.MAX_SAFE_INTEGER } },
    );
    const taken = admittedIn(admit(requests, storeWith(used))).flatMap(
      ({ workspace, idempotency, redeems }) =>
        redeems === undefined ? [] : [`${workspace} ${idempotency!.key}`],
    );
    expect(new Set(taken).size).toBe(taken.length);
  });
});

test('a request that got no allow leaves its key to another claim, and to no request without one', () => {
  const asked = (requestDigest: string, claim: string | null, isTaken = false): TestRequest => ({
    ...{ id: requestDigest, workspace: 'ws_1', keyId: 'key', keyKind: 'live', quota: null, freezeNumber: 0 },
    ...{ bundle: NO_BUNDLE, storedBytes: 1, atMs: 1, consumes: [], restsOn: [] },
    ...(isTaken && { redeems: { decisionId: 'd', intentDigest: 'i' } }),
    idempotency: {
      ...{ key: 'k', requestDigest, claim, expiresAtMs: 9, replayableWhile: 'null', response: '' },
    },
  });
  const outcomesOf = (...requests: readonly TestRequest[]) =>
    admit(requests, new PlainStore()).requests.map(({ kind }) => kind);
  const paused = asked('a', 'c1');
  expect(outcomesOf(paused, asked('a', 'c1'))).toEqual(['admitted', 'twin']);
  expect(outcomesOf(paused, asked('b', 'c1'), asked('b', 'c1'))).toEqual(['admitted', 'admitted', 'twin']);
  expect(outcomesOf(paused, asked('a', 'c2'), asked('a', 'c1'))).toEqual([
    'admitted',
    'admitted',
    'admitted',
  ]);
  expect(outcomesOf(paused, asked('a', null), asked('b', null))).toEqual(['admitted', 'twin', 'twin']);
  expect(outcomesOf(paused, asked('a', 'c2', true), asked('b', 'c3'))).toEqual([
    'admitted',
    'admitted',
    'twin',
  ]);
  expect(outcomesOf(asked('a', null), asked('a', 'c1'))).toEqual(['admitted', 'twin']);
});

test('of the requests under one key one is committed, and the others get its response byte for byte', () => {
  holds((requests, used) => {
    const { requests: outcomes, answers } = admit(requests, storeWith(used));
    for (const [i, outcome] of outcomes.entries()) {
      const { workspace, idempotency } = requests[i]!;
      if (outcome.kind !== 'twin') continue;
      const kept = nameIn(outcome.stored.requestDigest);
      const first = outcomes.findIndex(
        (other, j) => other.kind === 'admitted' && requests[j]!.idempotency?.requestDigest === kept,
      );
      expect(first).toBeLessThan(i);
      expect(requests[first]).toMatchObject({ workspace, idempotency: { key: idempotency!.key } });
    }
    for (const { row } of answers) {
      const kept = nameIn(row.request_digest);
      const i = requests.findIndex(({ idempotency }) => idempotency?.requestDigest === kept);
      expect(outcomes[i]!.kind).toBe('admitted');
      expect(String(row.response)).toBe(`r${i} ü`);
    }
  });
});

test('a request that is not recorded leaves no trace', () => {
  holds((requests, used) => {
    const all = admit(requests, storeWith(used));
    const isRecorded = (_: unknown, i: number): boolean => all.requests[i]!.kind === 'admitted';
    const without = admit(requests.filter(isRecorded), storeWith(used));
    expect(without.requests.map(told)).toEqual(all.requests.filter(isRecorded).map(told));
    expect({ ...without, requests: [] }).toEqual({ ...all, requests: [] });
  });
});

test('nothing is admitted, kept or used up for a revoked key, and others are not affected', () => {
  holds((requests, used) => {
    const store = storeWith(used);
    store.revokedKeys.add('key of ws_1');
    const admission = admit(requests, store);
    const others = requests.filter(({ keyId }) => keyId !== 'key of ws_1');
    const alone = admit(others, storeWith(used));
    expect(admission.requests.map(told).filter((one) => one !== 'ended')).toEqual(alone.requests.map(told));
    expect(admission.requests.filter(({ kind }) => kind === 'ended')).toHaveLength(
      requests.length - others.length,
    );
    expect([admission.answers, admission.consumes]).toEqual([alone.answers, alone.consumes]);
  });
});

test('a request decided under another number of freezes is not admitted', () => {
  holds((requests, used) => {
    const admission = admit(requests, storeWith(used));
    for (const [i, outcome] of admission.requests.entries())
      if (requests[i]!.freezeNumber !== 0) expect(outcome.kind).not.toBe('admitted');
    for (const number of admission.freezeNumbers.values()) expect(number).toBe(0);
    const store = storeWith(used);
    store.frozen = 2;
    expect(admittedIn(admit(requests, store))).toEqual([]);
  });
});
