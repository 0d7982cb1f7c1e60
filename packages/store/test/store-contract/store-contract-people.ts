/** What every store must do for people: compare-and-swap with the log, one address each, sessions, and single use. */
import { createHash, randomBytes } from 'node:crypto';
import { type PersonEntry, type PersonEvent, parseEntry } from '@writecheck/ledger';
import { describe, expect, test } from 'vitest';
import {
  type NewSession,
  PEOPLE_MAX,
  type PersonChange,
  type StoredPerson,
  standingName,
} from '../../src/port/people.ts';
import type { Change, Store } from '../../src/port.ts';
import { commitTo, idOf, newRequest } from './store-contract-values.ts';

const CHANGED = { kind: 'changed' };
const CONFLICT = { kind: 'conflict' };
const OWNER = { kind: 'owner_key', id: 'key_owner' } as const;
const LATER_MS = 9e12;

const digest = (): string => createHash('sha256').update(randomBytes(8)).digest('hex');

export const newPerson = (workspace: string, changes: Partial<StoredPerson> = {}): StoredPerson => ({
  ...{ workspace, id: idOf('per_'), version: 1, name: 'Ada Lovelace', email: `${digest()}@example.com` },
  ...{ roles: ['reviewer'], groups: ['finance'], state: 'invited', epoch: 1 },
  ...{ invitation: { hash: digest(), expiresAtMs: LATER_MS, by: OWNER }, oidc: null, createdAtMs: 1_000 },
  ...{ history: [] },
  ...changes,
});

const entryOf = ({ id, workspace }: StoredPerson, event: PersonEvent): PersonEntry => ({
  ...{ kind: 'person', event, person: id, workspace, by: OWNER, details: {} },
  timestamp: new Date(1_500).toISOString(),
});

export const inviting = (person: StoredPerson): PersonChange => ({
  person,
  entries: [entryOf(person, 'invited')],
});

export const nextPerson = (
  before: StoredPerson,
  event: PersonEvent,
  changes: Partial<StoredPerson> = {},
): PersonChange => {
  const person = { ...before, version: before.version + 1, ...changes };
  return { person, entries: [entryOf(person, event)] };
};

const credential = () => ({
  ...{ id: digest(), publicKey: 'pQECAyYgASFY', algorithm: -7, signCount: 0 },
  ...{ registeredAtMs: 1_200, invitedBy: OWNER },
});

const sessionOf = (
  { workspace, id, epoch }: StoredPerson,
  changes: Partial<NewSession> = {},
): NewSession => ({
  ...{ hash: digest(), workspace, personId: id, epoch, signIn: 'passkey', createdAtMs: 1_300 },
  ...{ expiresAtMs: LATER_MS, ...changes },
});

export const describePeople = (under: {
  readonly store: () => Store;
  readonly other: () => Promise<Store>;
  readonly made: () => Promise<string>;
}): void => {
  const { store, made } = under;
  const invited = async (workspace: string, changes: Partial<StoredPerson> = {}): Promise<StoredPerson> => {
    const person = newPerson(workspace, changes);
    expect(await store().changePerson(inviting(person))).toEqual(CHANGED);
    return person;
  };
  const joined = async (workspace: string): Promise<StoredPerson> => {
    const change = nextPerson(await invited(workspace), 'joined', { state: 'active', invitation: null });
    const seen = { ...change, credential: credential(), seenAtMs: 1_250 };
    expect(await store().changePerson(seen)).toEqual(CHANGED);
    return change.person;
  };
  const found = async ({ workspace, id }: StoredPerson) =>
    (await store().findPeople(workspace, [id]))[0] ?? null;
  const sizeNow = async () => (await store().logs()).find(({ log }) => log === store().log)!.size;
  const entriesFrom = async (index: number) =>
    (await store().segments(store().log, index, 100)).flatMap(({ firstIndex, entries }) =>
      entries.slice(Math.max(0, index - firstIndex)),
    );

  describe('a person', () => {
    test('is written with their log entries, and found by id, address, invitation and identity', async () => {
      const [workspace, elsewhere] = [await made(), await made()];
      const size = await sizeNow();
      const history = [{ event: 'invited', at: new Date(1_500).toISOString(), by: OWNER }] as const;
      const person = await invited(workspace, { oidc: { issuer: 'https://idp', subject: 'ü-1' }, history });
      const seen = { ...person, lastSeenAtMs: null, hasPasskey: false };
      expect(await found(person)).toEqual(seen);
      expect(await store().listPeople(workspace)).toEqual([seen]);
      expect(await store().findPersonByEmail(workspace, person.email.toUpperCase())).toEqual(seen);
      expect(await store().findPersonByInvitation(person.invitation!.hash)).toEqual(seen);
      expect(await store().findPersonByIdentity(workspace, 'https://idp', 'ü-1')).toEqual(seen);
      expect(await store().findPeople(elsewhere, [person.id])).toEqual([]);
      expect(await store().listPeople(elsewhere)).toEqual([]);
      expect(await store().findPersonByEmail(elsewhere, person.email)).toBeNull();
      expect(await store().findPersonByIdentity(elsewhere, 'https://idp', 'ü-1')).toBeNull();
      const leaves = (await entriesFrom(size)).map(({ leaf }) => parseEntry(leaf));
      expect(leaves).toEqual([{ ...entryOf(person, 'invited'), log: store().log }]);
    });

    test('changes only from the version that was read, and a losing change has no effect', async () => {
      const person = await invited(await made());
      const past = { event: 'changed', at: new Date(1_500).toISOString(), by: OWNER } as const;
      const changes = { roles: ['owner', 'auditor'], groups: [], history: [past] } as const;
      const after = nextPerson(person, 'changed', changes);
      expect(await store().changePerson(after)).toEqual(CHANGED);
      const size = await sizeNow();
      const losers = [
        after,
        nextPerson(person, 'disabled', { state: 'disabled', epoch: 2 }),
        inviting(person),
        inviting({ ...newPerson(person.workspace), version: 2 }),
      ];
      for (const loser of losers) {
        const registering = { ...loser, credential: credential() };
        expect(await store().changePerson(registering)).toEqual(CONFLICT);
        expect(await store().findCredential(registering.credential.id)).toBeNull();
      }
      expect(await found(person)).toMatchObject({
        version: 2,
        roles: ['owner', 'auditor'],
        state: 'invited',
      });
      expect(await sizeNow()).toBe(size);
    });

    test('has a unique address in the workspace, case-insensitive only in ASCII', async () => {
      const workspace = await made();
      const [plain, umlaut] = [`x${digest()}@example.com`, `ü${digest()}@example.com`];
      await invited(workspace, { email: plain });
      await invited(workspace, { email: umlaut });
      const again = newPerson(workspace, { email: plain.toUpperCase() });
      const size = await sizeNow();
      expect(await store().changePerson(inviting(again))).toEqual({ kind: 'email_taken' });
      expect(await sizeNow()).toBe(size);
      await invited(workspace, { email: umlaut.replace('ü', 'Ü') });
      await invited(await made(), { email: plain });
    });

    test('has a unique identity at the provider and a unique passkey', async () => {
      const workspace = await made();
      const oidc = { issuer: 'https://idp', subject: digest() };
      const first = await invited(workspace, { oidc });
      expect(await store().changePerson(inviting(newPerson(workspace, { oidc })))).toEqual({
        kind: 'identity_taken',
      });
      const second = await invited(workspace);
      const claims = nextPerson(second, 'joined', { oidc });
      expect(await store().changePerson(claims)).toEqual({ kind: 'identity_taken' });
      const passkey = credential();
      expect(
        await store().changePerson({ ...nextPerson(first, 'joined', { oidc: null }), credential: passkey }),
      ).toEqual(CHANGED);
      const taken = { ...nextPerson(second, 'joined'), credential: { ...passkey, publicKey: 'other' } };
      expect(await store().changePerson(taken)).toEqual({ kind: 'credential_taken' });
      expect(await found(second)).toMatchObject({ version: 1, hasPasskey: false });
      expect(await store().findCredential(passkey.id)).toEqual({
        ...{ ...passkey, workspace, personId: first.id, epoch: 1 },
      });
      for (const count of [7, 6]) await store().noteSignCount(passkey.id, count);
      expect(await store().listCredentials(workspace, first.id)).toMatchObject([{ signCount: 7 }]);
      expect(await store().listCredentials(await made(), first.id)).toEqual([]);
    });

    test('loses passkeys when disabled or reset, and no allow that rests on them commits from then on', async () => {
      const workspace = await made();
      const person = await joined(workspace);
      expect(await found(person)).toMatchObject({ hasPasskey: true, lastSeenAtMs: 1_250 });
      const restsOn = [standingName(person)];
      const before = newRequest(workspace, { restsOn });
      expect((await commitTo(store(), [before]))[0]?.kind).toBe('committed');
      const disabled = nextPerson(person, 'disabled', { state: 'disabled', epoch: 2 });
      expect(await store().changePerson(disabled)).toEqual(CHANGED);
      expect(await found(person)).toMatchObject({ hasPasskey: false, lastSeenAtMs: 1_250 });
      expect(await store().listCredentials(workspace, person.id)).toEqual([]);
      expect(await store().attestationStates(workspace, restsOn)).toMatchObject([{ revoked: true }]);
      expect(await commitTo(store(), [newRequest(workspace, { restsOn })])).toEqual([
        { kind: 'decide_again' },
      ]);
      const next = newRequest(workspace, { restsOn: [standingName(disabled.person)] });
      expect((await commitTo(store(), [next]))[0]?.kind).toBe('committed');
    });

    test('is refused beyond the maximum of a workspace', { timeout: 60_000 }, async () => {
      const workspace = await made();
      for (let count = 0; count < PEOPLE_MAX; count += 50) {
        await Promise.all(Array.from({ length: 50 }, () => invited(workspace)));
      }
      expect(await store().changePerson(inviting(newPerson(workspace)))).toEqual({ kind: 'too_many_people' });
    });

    test('of several processes one wins: an address, a version, an invitation', async () => {
      const second = await under.other();
      try {
        const workspace = await made();
        const email = `${digest()}@example.com`;
        const inEach = async (work: (each: Store, i: number) => Promise<{ readonly kind: string }>) =>
          (await Promise.all([0, 1, 2, 3].map((i) => work(i % 2 === 0 ? store() : second, i))))
            .map(({ kind }) => kind)
            .sort();
        const people = [0, 1, 2, 3].map(() => newPerson(workspace, { email }));
        const emails = await inEach((each, i) => each.changePerson(inviting(people[i]!)));
        expect(emails).toEqual(['changed', 'email_taken', 'email_taken', 'email_taken']);
        const person = (await store().findPersonByEmail(workspace, email))!;
        const { lastSeenAtMs: _, hasPasskey: __, ...stored } = person;
        const joins = await inEach((each, i) =>
          each.changePerson(
            i === 0
              ? nextPerson(stored, 'disabled', { state: 'disabled', epoch: 2 })
              : nextPerson(stored, 'joined', { state: 'active', invitation: null }),
          ),
        );
        expect(joins).toEqual(['changed', 'conflict', 'conflict', 'conflict']);
      } finally {
        await second.close();
      }
    });

    test('is announced to every process when anything changes or a session ends', async () => {
      const second = await under.other();
      try {
        const workspace = await made();
        const seen: Change[] = [];
        // It names what changed from its first poll on.
        await new Promise<void>((resolve) => {
          second.watch(
            (change) => seen.push(change),
            () => resolve(),
          );
        });
        const person = await joined(workspace);
        const announced = { kind: 'person', workspace, personId: person.id };
        await expect.poll(() => seen).toContainEqual(announced);
        const session = sessionOf(person);
        expect(await store().createSession(session)).toBe(true);
        seen.length = 0;
        await store().endSession(session.hash, 1_400);
        await expect.poll(() => seen).toContainEqual(announced);
      } finally {
        await second.close();
      }
    });
  });

  describe('a session', () => {
    test('is found with its person, is touched, and ends once', async () => {
      const workspace = await made();
      const person = await joined(workspace);
      const session = sessionOf(person);
      expect(await store().createSession(session)).toBe(true);
      expect(await store().findSession(session.hash)).toEqual({
        ...{ ...session, lastUsedAtMs: 1_300, endedAtMs: null },
        person: { ...person, lastSeenAtMs: 1_250, hasPasskey: true },
        standing: { state: 'active', isSelfServe: false },
      });
      const { hash } = session;
      await store().touchSessions([
        ...[
          { hash, atMs: 5_000 },
          { hash, atMs: 4_000 },
          { hash: digest(), atMs: 9_000 },
        ],
      ]);
      const touched = { lastUsedAtMs: 5_000, person: { lastSeenAtMs: 5_000, version: 2 } };
      expect(await store().findSession(hash)).toMatchObject(touched);
      await store().endSession(hash, 6_000);
      await store().endSession(hash, 7_000);
      expect(await store().findSession(hash)).toMatchObject({ endedAtMs: 6_000 });
      expect(await store().findSession(digest())).toBeNull();
    });

    test('is made only for somebody active in that epoch', async () => {
      const workspace = await made();
      const waiting = await invited(workspace);
      expect(await store().createSession(sessionOf(waiting))).toBe(false);
      const person = await joined(workspace);
      expect(await store().createSession(sessionOf(person, { epoch: 2 }))).toBe(false);
      expect(await store().createSession(sessionOf({ ...person, workspace: await made() }))).toBe(false);
      const disabled = nextPerson(person, 'disabled', { state: 'disabled', epoch: 2 });
      expect(await store().changePerson(disabled)).toEqual(CHANGED);
      expect(await store().createSession(sessionOf(person))).toBe(false);
      expect(await store().createSession(sessionOf(disabled.person))).toBe(false);
    });

    test('is swept a day after its end, not before', async () => {
      const person = await joined(await made());
      const session = sessionOf(person, { expiresAtMs: 10_000 });
      await store().createSession(session);
      await store().sweep(10_000 + 86_400_000 - 1);
      expect(await store().findSession(session.hash)).not.toBeNull();
      await store().sweep(10_000 + 86_400_000);
      expect(await store().findSession(session.hash)).toBeNull();
    });
  });

  describe('a one-time value', () => {
    test('works once, within its time, even in a race', async () => {
      const second = await under.other();
      try {
        const key = digest();
        const value = { kind: 'challenge', key, payload: 'ü {}', expiresAtMs: 5_000 };
        expect(await store().keepOneTime(value)).toBe(true);
        expect(await store().keepOneTime(value)).toBe(false);
        expect(await store().takeOneTime('code', key, 1_000)).toBeNull();
        const takers = [store(), second, store(), second];
        const taken = await Promise.all(takers.map((each) => each.takeOneTime('challenge', key, 4_999)));
        expect(taken.filter((payload) => payload !== null)).toEqual(['ü {}']);
        expect(await store().keepOneTime(value)).toBe(true);
        expect(await second.takeOneTime('challenge', key, 5_000)).toBeNull();
        expect(await store().takeOneTime('challenge', key, 1_000)).toBeNull();
        await store().keepOneTime(value);
        await store().sweep(5_000);
        expect(await store().takeOneTime('challenge', key, 1_000)).toBeNull();
      } finally {
        await second.close();
      }
    });
  });
};
