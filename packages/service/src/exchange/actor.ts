/** The actor of a request: a checking key, an owner key, a service key, or a person who signed in. */
import type { Role } from '@writecheck/contract';
import type { ChangeAuthor } from '@writecheck/ledger/log';
import type { FoundKey, StoredKey } from '@writecheck/store/port';
import type { Acting } from '@writecheck/store/port/acting';
import type { FoundPerson, FoundSession } from '@writecheck/store/port/people';

interface ActorWithKey<Kind> {
  readonly kind: Kind;
  readonly workspace: string;
  readonly id: string;
  readonly key: StoredKey;
  readonly isSelfServe: boolean;
}

export type KeyActor = ActorWithKey<'checking_key'> | ActorWithKey<'owner_key'> | ActorWithKey<'service_key'>;

export interface PersonActor {
  readonly kind: 'person';
  readonly workspace: string;
  /** The person's. */
  readonly id: string;
  readonly person: FoundPerson;
  readonly session: FoundSession;
  /** Whether the workspace has ceilings on the hosted plan. */
  readonly isSelfServe: boolean;
}

export type Actor = KeyActor | PersonActor;

export function actorOfKey(key: FoundKey): KeyActor {
  const { workspace, id } = key;
  const { isSelfServe } = key.standing;
  switch (key.kind) {
    case 'owner':
      return { kind: 'owner_key', workspace, id, key, isSelfServe };
    case 'service':
      return { kind: 'service_key', workspace, id, key, isSelfServe };
    default:
      return { kind: 'checking_key', workspace, id, key, isSelfServe };
  }
}

/** Those of a person, or of a service key; an owner key may do everything that the role `owner` may. */
export function rolesOf(actor: Actor): readonly Role[] {
  switch (actor.kind) {
    case 'person':
      return actor.person.roles;
    case 'service_key':
      return actor.key.roles ?? [];
    case 'owner_key':
      return ['owner'];
    case 'checking_key':
      return [];
  }
}

/** The owner of an idempotency key: an API key together with its rotations, or a person. */
export function claimScope(actor: Actor): string {
  return actor.kind === 'person' ? actor.id : actor.key.lineage;
}

/** The person who made a change, for its record; null if a key made it. */
export function personIdOf(actor: Actor): string | null {
  return actor.kind === 'person' ? actor.id : null;
}

/** The author of a change that no checking key can make. */
export function authorOf({ kind, id }: Actor): ChangeAuthor<'owner_key' | 'service_key' | 'person'> {
  return { kind: kind === 'checking_key' ? 'owner_key' : kind, id };
}

/** The actor of a change, whose transaction checks whether they still may make it. */
export function actingOf(actor: Actor): Acting {
  const { kind, id } = actor;
  return kind === 'person' ? { kind, id, session: actor.session.hash } : { kind, id };
}
