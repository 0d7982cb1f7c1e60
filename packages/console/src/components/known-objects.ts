/** What the palette finds by name beside pages: open reviews, agents, people and profiles. */
import type { Key, Person as ListedPerson, Review } from '@writecheck/api';
import { addressOf, type LookedAt } from '../state/looked-at.ts';
import { amountOf } from './decision/said-in-intent.ts';
import { titleOf } from './decision/write-title.tsx';
import type { Destination } from './destinations.ts';

interface KnownObject extends Destination {
  /** In lower case; what typed words are looked for in. */
  readonly words: string;
}

/** In the order in which they are listed. */
export type KnownObjects = readonly (readonly KnownObject[])[];

export function reviewObject({ id, intent }: Pick<Review, 'id' | 'intent'>): KnownObject {
  const title = titleOf({ ...intent, metadata: null });
  const said = [amountOf(intent), 'open review'].filter((part) => part !== null).join(', ');
  const value = typeof intent.agentValue === 'string' ? intent.agentValue : '';
  return {
    ...object(title, said, `/reviews/${id}`, `${id} ${value}`),
    ...(value !== '' && { detail: value }),
  };
}

export function agentObjects(keys: readonly Key[], stateOf: (key: Key) => string): readonly KnownObject[] {
  return keys
    .filter(({ kind }) => kind === 'development' || kind === 'live')
    .map((key) => {
      const state = stateOf(key);
      const said = state === 'usable' ? 'agent' : `agent, ${state}`;
      return object(key.name, said, `/agents/${key.id}`);
    });
}

export function personObject({ name, email, roles, state }: ListedPerson): KnownObject {
  const said = [roles.join(', '), ...(state === 'active' ? [] : [state])].join(', ');
  return object(name, said, '/people', email);
}

export function profileObjects(documents: readonly object[]): readonly KnownObject[] {
  return documents.flatMap((document) => {
    const { kind, id } = document as { readonly kind?: unknown; readonly id?: unknown };
    if (kind !== 'Profile' || typeof id !== 'string') return [];
    return [{ ...object(id, 'profile', '/policies'), query: { document: id } }];
  });
}

/** By the words that they were noted with. */
export function recentObject(thing: LookedAt): KnownObject {
  return { ...thing, words: `${thing.label} ${thing.what}`.toLowerCase() };
}

function object(label: string, what: string, path: string, more = ''): KnownObject {
  return { label, what, path, words: `${label} ${what} ${more}`.toLowerCase() };
}

const EACH_MAX = 5;

/** Those that have every typed word, up to five of each kind; one that is of two kinds is listed once. */
export function objectsFor(typed: string, known: KnownObjects): readonly Destination[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [];
  const found = known.flatMap((kind) =>
    kind.filter(({ words }) => wanted.every((word) => words.includes(word))).slice(0, EACH_MAX),
  );
  return [...new Map(found.toReversed().map((each) => [addressOf(each), each])).values()].toReversed();
}
