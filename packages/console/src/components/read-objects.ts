/** Reads what the palette finds by name, as far as the user may. */
import { listKeys, stateOf } from '../calls/keys.ts';
import { listPeople } from '../calls/people.ts';
import { readBundle } from '../calls/policies.ts';
import { listAll } from '../calls/reviews.ts';
import { hasRight, type Person } from '../state/session.ts';
import {
  agentObjects,
  type KnownObjects,
  personObject,
  profileObjects,
  reviewObject,
} from './known-objects.ts';

const OPEN_MAX = 1_000;

/** Skips what it cannot read: the palette still finds pages and IDs. */
export async function readObjects(person: Person | undefined, signal: AbortSignal): Promise<KnownObjects> {
  const [reviews, keys, people, bundle] = await Promise.all([
    listAll({ state: 'open' }, OPEN_MAX, signal),
    hasRight(person, 'listKeys') ? listKeys(signal) : null,
    hasRight(person, 'listPeople') ? listPeople(signal) : null,
    readBundle(signal),
  ]);
  return [
    reviews.kind === 'success' ? reviews.value.reviews.map(reviewObject) : [],
    keys?.kind === 'success' ? agentObjects(keys.value.keys, (key) => stateOf(key, Date.now())) : [],
    people?.kind === 'success' ? people.value.people.map(personObject) : [],
    bundle.kind === 'success' ? profileObjects(bundle.value.documents) : [],
  ];
}
