/** The standing of people towards a review, from what the store knows about them and their keys at one moment. */
import type { Store } from '@writecheck/store/port';
import { emailKey, type FoundPerson, KEY_EPOCH, type StoredCredential } from '@writecheck/store/port/people';
import { type Keys, lineageIn, ownersOf } from '../keys/key-lineage.ts';
import type { EpochOf } from './approval.ts';
import {
  type Author,
  type Commenter,
  OWNER_KEY_STANDING,
  type ReviewOrigin,
  type Standing,
  type StandingOf,
} from './author.ts';
import type { Review } from './review.ts';

type PeopleStore = Pick<Store, 'findPeople' | 'listCredentials' | 'listKeys'>;

/** The people and keys that some reviews concern, as of now. */
export interface Community {
  readonly standingOf: StandingOf;
  readonly epochOf: EpochOf;
  readonly nameOf: (id: string) => string | null;
  /** The people who hold or made this key, or one it was rotated from. */
  readonly ownersOfKey: (keyId: string) => readonly string[];
  /** The versions behind these standings: the commit refuses a change if one of them has changed. */
  readonly versions: Parameters<Store['changeReviews']>[2] & object;
}

const NOBODY: Community = {
  standingOf: () => null,
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
  const ids = new Set(reviews.flatMap(authorsIn));
  if (actor !== null) ids.add(actor.id);
  if (ids.size === 0) return NOBODY;
  const [found, keys, passkeys] = await Promise.all([
    store.findPeople(workspace, [...ids]),
    store.listKeys(workspace),
    actor?.kind === 'person' ? store.listCredentials(workspace, actor.id) : [],
  ]);
  const people = new Map(found.map((person) => [person.id, person]));
  const keysById = new Map(keys.map((key) => [key.id, key]));
  return {
    epochOf: epochAmong(people, keysById),
    standingOf: standingAmong(people, keysById, passkeys),
    nameOf: (id) => people.get(id)?.name ?? null,
    ownersOfKey: (keyId) => ownersOf(lineageIn(keyId, keysById)),
    versions: found.map(({ id, version }) => ({ id, version })),
  };
}

/** People and keys. */
function authorsIn({ verdicts, comments, restsOn }: Review): readonly string[] {
  return [...[...verdicts, ...comments].map(({ by }) => by.id), ...restsOn.map(({ id }) => id)];
}

type ById = ReadonlyMap<string, FoundPerson>;

function epochAmong(people: ById, keys: Keys): EpochOf {
  return (id) => {
    const person = people.get(id);
    if (person !== undefined) return person.state === 'active' ? person.epoch : null;
    return stands(id, keys) ? KEY_EPOCH : null;
  };
}

/**
 * An expired key could approve while it was valid, so it still counts. A key does not count if it was revoked,
 * directly or after rotation, or if its holder is disabled.
 */
function stands(id: string, keys: Keys): boolean {
  const key = keys.get(id);
  if (key?.kind !== 'owner' || key.isHolderDisabled) return false;
  const revoked = [...keys.values()].filter(({ revokedAtMs }) => revokedAtMs !== null);
  return !revoked.some((one) => lineageIn(one.id, keys).includes(key));
}

/** Reads what a check needs: whether the people behind an approval are still active. */
export async function epochsOf(
  store: Pick<Store, 'findPeople'>,
  workspace: string,
  reviews: readonly Review[],
  keys: Keys,
): Promise<EpochOf> {
  const ids = new Set(reviews.flatMap(({ restsOn }) => restsOn.map(({ id }) => id)));
  const people = await store.findPeople(workspace, [...ids]);
  return epochAmong(new Map(people.map((each) => [each.id, each])), keys);
}

function standingAmong(people: ById, keys: Keys, passkeys: readonly StoredCredential[]): StandingOf {
  return (author: Author, review: ReviewOrigin): Standing | null => {
    if (author.kind === 'owner_key') return stands(author.id, keys) ? OWNER_KEY_STANDING : null;
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
      isExcludedByCaller: isExcludedByCaller(person, review),
      epoch: person.epoch,
    };
  };
}

function hasAsked({ id }: FoundPerson, { askedBy, openedBy }: ReviewOrigin, keys: Keys): boolean {
  return openedBy.includes(id) || askedBy.some(({ keyId }) => ownersOf(lineageIn(keyId, keys)).includes(id));
}

export function isExcludedByCaller(
  { email }: Pick<FoundPerson, 'email'>,
  { askedBy }: Pick<ReviewOrigin, 'askedBy'>,
): boolean {
  return askedBy.some(({ onBehalfOf }) => onBehalfOf !== null && emailKey(onBehalfOf) === emailKey(email));
}
