/** What the palette finds by name beside pages: open reviews, agents, people and profiles that the user may read. */
import type { Key, Person as ListedPerson, Review } from '@writecheck/api';
import { listKeys, stateOf } from '../calls/keys.ts';
import { listPeople } from '../calls/people.ts';
import { readBundle } from '../calls/policies.ts';
import { listAll } from '../calls/reviews.ts';
import { hasRight } from '../state/rights.ts';
import type { Person } from '../state/session.ts';
import { amountOf } from './decision/said-in-intent.ts';
import { titleOf } from './decision/write-title.tsx';
import type { Destination } from './destinations.ts';

interface KnownObject extends Destination {
  /** In lower case; what typed words are looked for in. */
  readonly words: string;
}

/** In the order in which they are listed. */
export type KnownObjects = readonly (readonly KnownObject[])[];

const OPEN_MAX = 1_000;

/** What cannot be read is left out: the palette still leads to pages and IDs. */
export async function readObjects(person: Person | undefined, signal: AbortSignal): Promise<KnownObjects> {
  const [reviews, keys, people, bundle] = await Promise.all([
    listAll({ state: 'open' }, OPEN_MAX, signal),
    hasRight(person, 'listKeys') ? listKeys(signal) : null,
    hasRight(person, 'listPeople') ? listPeople(signal) : null,
    readBundle(signal),
  ]);
  return [
    reviews.kind === 'success' ? reviews.value.reviews.map(reviewObject) : [],
    keys?.kind === 'success' ? agentObjects(keys.value.keys, Date.now()) : [],
    people?.kind === 'success' ? people.value.people.map(personObject) : [],
    bundle.kind === 'success' ? profileObjects(bundle.value.documents) : [],
  ];
}

export function reviewObject({ id, intent }: Pick<Review, 'id' | 'intent'>): KnownObject {
  const title = titleOf({ ...intent, metadata: null });
  const said = [amountOf(intent), 'open review'].filter((part) => part !== null).join(', ');
  return object(title, said, `/reviews/${id}`, id);
}

function agentObjects(keys: readonly Key[], nowMs: number): readonly KnownObject[] {
  return keys
    .filter(({ kind }) => kind === 'development' || kind === 'live')
    .map((key) => {
      const state = stateOf(key, nowMs);
      const said = state === 'usable' ? 'agent' : `agent, ${state}`;
      return object(key.name, said, `/agents/${key.id}`);
    });
}

function personObject({ name, email, roles, state }: ListedPerson): KnownObject {
  const said = [roles.join(', '), ...(state === 'active' ? [] : [state])].join(', ');
  return object(name, said, '/people', email);
}

function profileObjects(documents: readonly object[]): readonly KnownObject[] {
  return documents.flatMap((document) => {
    const { kind, id } = document as { readonly kind?: unknown; readonly id?: unknown };
    if (kind !== 'Profile' || typeof id !== 'string') return [];
    return [{ ...object(id, 'profile', '/policies'), query: { document: id } }];
  });
}

function object(label: string, what: string, path: string, more = ''): KnownObject {
  return { label, what, path, words: `${label} ${what} ${more}`.toLowerCase() };
}

const EACH_MAX = 5;

/** Those that have every typed word, up to five of each kind. */
export function objectsFor(typed: string, known: KnownObjects): readonly Destination[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [];
  return known.flatMap((kind) =>
    kind.filter(({ words }) => wanted.every((word) => words.includes(word))).slice(0, EACH_MAX),
  );
}
