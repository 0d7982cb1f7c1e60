/** The standing of people towards a review, from what the store knows about them and their keys at one moment. */

import { emailKey, type FoundPerson, type People, type StoredCredential } from '../store/port/people.ts';
import type { Reviews } from '../store/port/reviews.ts';
import type { WorkspacesAndKeys } from '../store/port.ts';
import type { EpochOf } from './approval.ts';
import {
  type AskedFor,
  type Author,
  type Commenter,
  OWNER_KEY_STANDING,
  type Standing,
  type StandingOf,
} from './author.ts';
import { type Keys, lineageIn, ownersOf } from './key-lineage.ts';
import type { Review } from './review.ts';

type PeopleStore = Pick<People, 'findPeople' | 'listCredentials'> & Pick<WorkspacesAndKeys, 'listKeys'>;

/** Those who are concerned with some reviews, as of now. */
export interface Community {
  readonly standingOf: StandingOf;
  readonly epochOf: EpochOf;
  readonly nameOf: (id: string) => string | null;
  /** The people who hold or made this key, or one it was rotated from. */
  readonly ownersOfKey: (keyId: string) => readonly string[];
  /** What a change that rests on these standings is made from: the commit refuses it if one of them changed. */
  readonly versions: Parameters<Reviews['changeReviews']>[2] & object;
}

const NOBODY: Community = {
  standingOf: standingAmong(new Map(), new Map(), []),
  epochOf: () => null,
  nameOf: () => null,
  ownersOfKey: () => [],
  versions: [],
};

/** `actor` is who acts; their passkeys are looked up too. */
export async function communityOf(
  store: PeopleStore,
  workspace: string,
  reviews: readonly Review[],
  actor: Commenter | null = null,
): Promise<Community> {
  const ids = new Set(reviews.flatMap(peopleIn));
  if (actor?.kind === 'person') ids.add(actor.id);
  if (ids.size === 0) return NOBODY;
  const [found, keys, passkeys] = await Promise.all([
    store.findPeople(workspace, [...ids]),
    store.listKeys(workspace),
    actor?.kind === 'person' ? store.listCredentials(workspace, actor.id) : [],
  ]);
  const people = new Map(found.map((person) => [person.id, person]));
  const keysById = new Map(keys.map((key) => [key.id, key]));
  return {
    epochOf: epochAmong(people),
    standingOf: standingAmong(people, keysById, passkeys),
    nameOf: (id) => people.get(id)?.name ?? null,
    ownersOfKey: (keyId) => ownersOf(lineageIn(keyId, keysById)),
    versions: found.map(({ id, version }) => ({ id, version })),
  };
}

function peopleIn({ verdicts, comments, restsOn }: Review): readonly string[] {
  const authors = [...verdicts, ...comments].map(({ by }) => by).filter(({ kind }) => kind === 'person');
  return [...authors.map(({ id }) => id), ...restsOn.map(({ personId }) => personId)];
}

type ById = ReadonlyMap<string, FoundPerson>;

function epochAmong(people: ById): EpochOf {
  return (id) => {
    const person = people.get(id);
    return person?.state === 'active' ? person.epoch : null;
  };
}

/** For a check, which asks only whether the people behind an approval are still there. */
export async function epochsOf(
  store: Pick<People, 'findPeople'>,
  workspace: string,
  reviews: readonly Review[],
): Promise<EpochOf> {
  const ids = new Set(reviews.flatMap(({ restsOn }) => restsOn.map(({ personId }) => personId)));
  if (ids.size === 0) return () => null;
  return epochAmong(new Map((await store.findPeople(workspace, [...ids])).map((each) => [each.id, each])));
}

function standingAmong(people: ById, keys: Keys, passkeys: readonly StoredCredential[]): StandingOf {
  return (author: Author, review: AskedFor): Standing | null => {
    if (author.kind === 'owner_key') return OWNER_KEY_STANDING;
    const person = people.get(author.id);
    if (person?.state !== 'active') return null;
    const isOwner = person.roles.includes('owner');
    const canSign = passkeys.some(
      ({ personId, registeredAtMs }) => personId === person.id && registeredAtMs < review.openedAtMs,
    );
    return {
      mayReview: isOwner || person.roles.includes('reviewer'),
      isOwner,
      groups: person.groups,
      identity: canSign ? 'passkey' : 'person',
      hasAsked: hasAsked(person, review, keys),
      epoch: person.epoch,
    };
  };
}

function hasAsked({ id, email }: FoundPerson, { askedBy, openedBy }: AskedFor, keys: Keys): boolean {
  if (openedBy.includes(id)) return true;
  return askedBy.some(
    ({ keyId, onBehalfOf }) =>
      (onBehalfOf !== null && emailKey(onBehalfOf) === emailKey(email)) ||
      ownersOf(lineageIn(keyId, keys)).includes(id),
  );
}
