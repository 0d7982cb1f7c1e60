/** The log entries about a person: ids and public keys, never a name or an address. */
import type { PersonEntry, PersonEvent } from '@writecheck/ledger/log';
import type { StoredPerson } from '@writecheck/store/port/people';
import type { Actor } from '../../exchange/actor.ts';

/** INVARIANT: the roles let only people and owner keys manage people, and the log has no name for anybody else. */
export function authorOf({ kind, id }: Actor): PersonEntry['by'] {
  if (kind !== 'person' && kind !== 'owner_key') throw new Error(`a ${kind} cannot manage people`);
  return { kind, id };
}

export function personEntry(
  { id, workspace }: Pick<StoredPerson, 'id' | 'workspace'>,
  event: PersonEvent,
  by: PersonEntry['by'],
  nowMs: number,
  details: PersonEntry['details'] = {},
): PersonEntry {
  const timestamp = new Date(nowMs).toISOString();
  return { kind: 'person', event, person: id, workspace, timestamp, by, details };
}
