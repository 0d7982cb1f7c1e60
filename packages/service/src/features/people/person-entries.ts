/** The log entries about a person: ids and public keys, never a name or an address. */
import type { PersonEntry, PersonEvent } from '@writecheck/ledger/log';
import type { StoredPerson } from '@writecheck/store/port/people';
import type { Actor } from '../../exchange/actor.ts';

/** Only a caller that passed the role table gets here, so never a checking key. */
export function authorOf({ kind, id }: Actor): PersonEntry['by'] {
  return { kind: kind === 'person' ? 'person' : 'owner_key', id };
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
