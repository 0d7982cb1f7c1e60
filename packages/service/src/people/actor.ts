/** Who makes a request: a checking key, an owner key, or a person who signed in. */
import type { FoundPerson, FoundSession } from '../store/port/people.ts';
import type { StoredKey } from '../store/port.ts';

interface ActorWithKey<Kind> {
  readonly kind: Kind;
  readonly workspace: string;
  readonly id: string;
  readonly key: StoredKey;
}

export type KeyActor = ActorWithKey<'checking_key'> | ActorWithKey<'owner_key'>;

export interface PersonActor {
  readonly kind: 'person';
  readonly workspace: string;
  /** The person's. */
  readonly id: string;
  readonly person: FoundPerson;
  readonly session: FoundSession;
}

export type Actor = KeyActor | PersonActor;

export function actorOfKey(key: StoredKey): KeyActor {
  const { workspace, id } = key;
  return key.kind === 'owner'
    ? { kind: 'owner_key', workspace, id, key }
    : { kind: 'checking_key', workspace, id, key };
}

/** What they may speak for: an owner key and a person for every system and workflow. */
export function scopeOf(
  actor: Actor,
): Pick<StoredKey, 'workspace' | 'kind' | 'allowedSystems' | 'allowedWorkflows'> {
  return actor.kind === 'person'
    ? { workspace: actor.workspace, kind: 'owner', allowedSystems: null, allowedWorkflows: null }
    : actor.key;
}

/** For records of a change: the person who made it, null if a key did. */
export function personIdOf(actor: Actor): string | null {
  return actor.kind === 'person' ? actor.id : null;
}

/** Who made a change that only an owner key or a person can make. */
export function authorOf({ kind, id }: Actor): {
  readonly kind: 'owner_key' | 'person';
  readonly id: string;
} {
  return { kind: kind === 'person' ? 'person' : 'owner_key', id };
}
