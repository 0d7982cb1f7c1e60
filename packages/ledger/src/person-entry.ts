/**
 * The log's account of people: who was invited, joined, changed, reset, disabled or removed, and by whom. Ids and public keys
 * only, never names or addresses, so that an auditor can tell whose passkey signed a verdict without the database.
 */
import { canonicalJson, isObject } from '@writecheck/contract';
import { parseLogInstant } from './instant.ts';
import { isLogName, isText, type ParsedObject } from './leaf.ts';

const EVENTS = ['invited', 'joined', 'changed', 'reset', 'disabled', 'removed'] as const;

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

/** The RFC 8785 form, member by member so that no other member of a caller's object gets into the log. */
function personEntryText(entry: LoggedPersonEntry): string {
  return canonicalJson({
    by: { id: entry.by.id, kind: entry.by.kind },
    details: entry.details,
    event: entry.event,
    kind: entry.kind,
    log: entry.log,
    person: entry.person,
    timestamp: entry.timestamp,
    workspace: entry.workspace,
  });
}

const encoder = new TextEncoder();

/** Throws if `details` holds anything that is not JSON. */
export function personEntryBytes(entry: LoggedPersonEntry): Uint8Array {
  return encoder.encode(personEntryText(entry));
}

function actorFrom(value: unknown): PersonEntry['by'] | null {
  if (!isObject(value) || !isText(value.id)) return null;
  const kind = ACTORS.find((known) => known === value.kind);
  return kind === undefined ? null : { kind, id: value.id };
}

function fromValue(value: Record<string, unknown>): LoggedPersonEntry | null {
  const { log, person, workspace, timestamp, details } = value;
  const event = EVENTS.find((known) => known === value.event);
  const by = actorFrom(value.by);
  if (event === undefined || by === null || !isObject(details)) return null;
  if (!isLogName(log) || !isText(person) || !isText(workspace)) return null;
  if (!isText(timestamp) || parseLogInstant(timestamp) === null) return null;
  return { kind: 'person', log, event, person, workspace, timestamp, by, details };
}

/** Null unless the text is exactly what `personEntryBytes` writes. */
export function personEntryOf({ text, value }: ParsedObject): LoggedPersonEntry | null {
  const entry = fromValue(value);
  if (entry === null) return null;
  try {
    return personEntryText(entry) === text ? entry : null;
  } catch {
    // A lone surrogate has no canonical form.
    return null;
  }
}
