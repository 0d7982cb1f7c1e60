/**
 * The log's account of people: who was invited, joined, changed, reset, disabled or removed, and by whom. Ids and public keys
 * only, never names or addresses, so that an auditor can tell whose passkey signed a verdict without the database.
 */
import { type EventOf, isObject } from '@writecheck/contract';
import { actorOf, exactEntry, oneOf } from './exact-entry.ts';
import { isText } from './leaf.ts';

const EVENTS = [
  'invited',
  'joined',
  'changed',
  'reset',
  'disabled',
  'removed',
] as const satisfies readonly EventOf<'person'>[];

export type PersonEvent = (typeof EVENTS)[number];

const ACTORS = ['person', 'owner_key', 'operator'] as const;

export interface PersonEntry {
  readonly kind: 'person';
  readonly event: PersonEvent;
  /** `per_...` */
  readonly person: string;
  readonly workspace: string;
  readonly timestamp: string;
  /** Who did it. A person joins by themselves. */
  readonly by: { readonly kind: (typeof ACTORS)[number]; readonly id: string };
  /**
   * What is needed to understand and verify the event. `invited` and `reset`: roles, groups, expiresAt of the
   * invitation. `joined`: signIn, invitedBy, and for a passkey the credential with its id, publicKey, algorithm and rpId.
   * `changed`: roles, groups.
   */
  readonly details: { readonly [name: string]: unknown };
}

/** An entry as stored; it names its log. */
export interface LoggedPersonEntry extends PersonEntry {
  readonly log: string;
}

const EXACT = exactEntry<LoggedPersonEntry>('person', {
  event: oneOf(EVENTS),
  person: isText,
  by: actorOf(ACTORS),
  details: isObject,
});
export const personEntryBytes = EXACT.bytes;
export const personEntryOf = EXACT.of;
