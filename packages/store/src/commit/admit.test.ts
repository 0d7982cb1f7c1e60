import { expect, test } from 'vitest';
import { fc } from '../../../../scripts/fast-check.ts';
import {
  BYTES_OF_ENTRY,
  LIMIT,
  NOVEMBER,
  PlainStore,
  requestGroups,
  type TestEntry,
} from '../../test/admission-model.ts';
import {
  type AdmittedGroup,
  type AdmittedRequest,
  admit,
  attestationKey,
  type Candidate,
  NO_BUNDLE,
} from './admit.ts';
import { dayOf } from './stored-bytes.ts';

/** What a caller learns about a request, and by which entries it was decided. */
function told(request: AdmittedRequest<TestEntry>): unknown {
  if (request.kind === 'twin') return { kind: 'twin', response: String(request.stored.response) };
  if (request.kind !== 'done') return request.kind;
  return request.entries.map((one) => ({
    kind: one.kind,
    used: one.account.usedBefore + one.rank,
    ...(one.kind === 'admitted' ? { id: one.entry.id } : {}),
  }));
}

function admittedIds({ requests }: AdmittedGroup<TestEntry>): readonly string[] {
  return requests.flatMap((request) =>
    request.kind === 'done'
      ? request.entries.flatMap((one) => (one.kind === 'admitted' ? [one.entry.id] : []))
      : [],
  );
}

function storeWith(used: number): PlainStore {
  const store = new PlainStore();
  store.charge({ workspace: 'ws_1', period: NOVEMBER, kind: 'development' }, used);
  store.revoked.add(attestationKey({ workspace: 'ws_2', source: 's', jti: 'j1' }));
  return store;
}

/** The whole at night. */
const RUNS = process.env.npm_lifecycle_event === 'nightly' ? 2_000 : 500;

function holds(check: (requests: readonly Candidate<TestEntry>[], used: number) => void): void {
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
    for (const request of admission.requests) {
      if (request.kind !== 'done') continue;
      for (const one of request.entries) {
        if (one.kind === 'over') expect(one.account.usedBefore + one.rank).toBeGreaterThanOrEqual(one.limit);
      }
    }
    const charged = admission.accounts.reduce((sum, account) => sum + account.charged, 0);
    expect(admittedIds(admission)).toHaveLength(charged);
  });
});

test('no day stores more than its ceiling, and a request is refused only if the rest has no room for it', () => {
  fc.assert(
    fc.property(requestGroups, fc.integer({ min: 0, max: 12 }), (requests, entriesMax) => {
      const store = new PlainStore();
      store.storesAtMost = entriesMax * BYTES_OF_ENTRY;
      const admission = admit(requests, store);
      for (const { bytes } of admission.stored) expect(bytes).toBeLessThanOrEqual(store.storesAtMost);
      for (const [i, { kind }] of admission.requests.entries()) {
        if (kind !== 'stored_enough') continue;
        const { workspace, storedBytes, entries } = requests[i]!;
        const day = dayOf(entries[0]!.atMs);
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
    const plain = requests.map((request) => ({
      ...request,
      idempotency: null,
      entries: request.entries.map((entry) => ({ ...entry, consumes: [], restsOn: [] })),
    }));
    const chargesOf = (order: readonly Candidate<TestEntry>[]) =>
      admit(order, storeWith(used))
        .accounts.map(({ workspace, period, kind, charged }) => `${workspace} ${period} ${kind} ${charged}`)
        .sort();
    expect(chargesOf(plain.toReversed())).toEqual(chargesOf(plain));
  });
});

test('an attestation is consumed once, whatever races for it', () => {
  holds((requests, used) => {
    const { requests: outcomes, consumes } = admit(requests, storeWith(used));
    const taken = outcomes.flatMap((request, i) =>
      request.kind === 'done'
        ? request.entries.flatMap((one) =>
            one.kind === 'admitted'
              ? one.entry.consumes.map((item) =>
                  attestationKey({ workspace: requests[i]!.workspace, ...item }),
                )
              : [],
          )
        : [],
    );
    expect(new Set(taken).size).toBe(taken.length);
    expect(consumes.map(attestationKey).sort()).toEqual(taken.sort());
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
    const { requests: outcomes } = admit(requests, storeWith(used));
    const taken = requests.flatMap(({ workspace, idempotency, entries }, i) =>
      outcomes[i]!.kind === 'done' && entries.some(({ redeems }) => redeems !== undefined)
        ? [`${workspace} ${idempotency!.key}`]
        : [],
    );
    expect(new Set(taken).size).toBe(taken.length);
  });
});

test('a request that got no allow leaves its key to another claim, and to no request without one', () => {
  const asked = (requestDigest: string, claim: string | null, isTaken = false): Candidate<TestEntry> => {
    const answers = { committed: requestDigest, overQuota: '' };
    const redeems = isTaken ? { redeems: { decisionId: 'd', intentDigest: 'i' } } : {};
    return {
      ...{ workspace: 'ws_1', keyId: 'key', keyKind: 'live', quota: null, freezeNumber: 0 },
      entries: [{ id: requestDigest, atMs: 1, consumes: [], restsOn: [], answers, ...redeems }],
      idempotency: {
        ...{ key: 'k', requestDigest, claim, expiresAtMs: 9, replayableWhile: 'null' },
        frame: ['', ''],
      },
      ...{ bundle: NO_BUNDLE, proven: false, storedBytes: 1 },
    };
  };
  const outcomesOf = (...requests: readonly Candidate<TestEntry>[]) =>
    admit(requests, new PlainStore()).requests.map(({ kind }) => kind);
  const paused = asked('a', 'c1');
  expect(outcomesOf(paused, asked('a', 'c1'))).toEqual(['done', 'twin']);
  expect(outcomesOf(paused, asked('b', 'c1'), asked('b', 'c1'))).toEqual(['done', 'done', 'twin']);
  expect(outcomesOf(paused, asked('a', 'c2'), asked('a', 'c1'))).toEqual(['done', 'done', 'done']);
  expect(outcomesOf(paused, asked('a', null), asked('b', null))).toEqual(['done', 'twin', 'twin']);
  expect(outcomesOf(paused, asked('a', 'c2', true), asked('b', 'c3'))).toEqual(['done', 'done', 'twin']);
  expect(outcomesOf(asked('a', null), asked('a', 'c1'))).toEqual(['done', 'twin']);
});

test('of the requests under one key one is committed, and the others get its response byte for byte', () => {
  holds((requests, used) => {
    const { requests: outcomes, answers } = admit(requests, storeWith(used));
    for (const [i, outcome] of outcomes.entries()) {
      const { workspace, idempotency } = requests[i]!;
      if (outcome.kind !== 'twin') continue;
      const kept = nameIn(outcome.stored.requestDigest);
      const first = outcomes.findIndex(
        (other, j) => other.kind === 'done' && requests[j]!.idempotency?.requestDigest === kept,
      );
      expect(first).toBeLessThan(i);
      expect(requests[first]).toMatchObject({ workspace, idempotency: { key: idempotency!.key } });
    }
    for (const { row } of answers) {
      const kept = nameIn(row.request_digest);
      const i = requests.findIndex(({ idempotency }) => idempotency?.requestDigest === kept);
      const { entries } = requests[i]!;
      const outcome = outcomes[i]!;
      if (outcome.kind !== 'done') throw new Error('an answer is kept of a request that was refused');
      const bodies = entries.map(({ answers: own }, j) =>
        outcome.entries[j]!.kind === 'admitted' ? own!.committed : own!.overQuota,
      );
      expect(String(row.response)).toBe(`r${i}[${bodies.join(',')}]`);
    }
  });
});

test('a request that is refused as a whole leaves no trace', () => {
  holds((requests, used) => {
    const all = admit(requests, storeWith(used));
    const isDone = (_: unknown, i: number): boolean => all.requests[i]!.kind === 'done';
    const without = admit(requests.filter(isDone), storeWith(used));
    expect(without.requests.map(told)).toEqual(all.requests.filter(isDone).map(told));
    expect({ ...without, requests: [] }).toEqual({ ...all, requests: [] });
  });
});

test('a request with an idempotency key must bring its responses', () => {
  const claim = {
    key: 'k',
    requestDigest: 'r',
    claim: null,
    expiresAtMs: 2,
    replayableWhile: 'null',
    frame: ['', ''],
  };
  const request: Candidate<TestEntry> = {
    workspace: 'ws_1',
    keyId: 'key_1',
    keyKind: 'live',
    quota: null,
    freezeNumber: 0,
    entries: [{ id: 'e', atMs: 1, consumes: [], restsOn: [] }],
    idempotency: claim,
    bundle: NO_BUNDLE,
    proven: false,
    storedBytes: 1,
  };
  expect(() => admit([request], new PlainStore())).toThrow(TypeError);
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
      if (requests[i]!.freezeNumber !== 0) expect(outcome.kind).not.toBe('done');
    for (const number of admission.freezeNumbers.values()) expect(number).toBe(0);
    const store = storeWith(used);
    store.frozen = 2;
    expect(admittedIds(admit(requests, store))).toEqual([]);
  });
});
