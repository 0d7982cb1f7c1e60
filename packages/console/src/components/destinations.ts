/** Where typed text can lead: pages by name, things by ID, or a search of decisions. */
import { navigationFor } from '../pages/registry.ts';
import type { Person } from '../state/session.ts';
import { PLACES } from './places.ts';

export interface Destination {
  readonly label: string;
  /** What a thing is, beside its name. */
  readonly what?: string;
  /** Under its name; tells apart things of the same name. */
  readonly detail?: string;
  /** The keys that lead there without the palette. */
  readonly keys?: readonly string[];
  /** The section of the empty palette that lists it. */
  readonly part?: string;
  readonly path: string;
  readonly query?: { readonly [name: string]: string };
  /** Done instead of going to the path. */
  readonly act?: () => void;
}

const BY_ID = [
  { form: /^dec_[0-9a-f]{32}$/, label: 'Decision', path: '/decisions' },
  { form: /^rev_[0-9a-f]{32}$/, label: 'Review', path: '/reviews' },
  { form: /^key_[0-9a-f]{32}$/, label: 'Agent', path: '/agents' },
  { form: /^frz_[0-9a-f]{32}$/, label: 'Freeze', path: '/freezes' },
] as const;

/** `found` are things that have the typed words; they come after the pages and actions. `recent` are for an empty palette. */
export function destinationsFor(
  typed: string,
  person: Person | undefined,
  found: readonly Destination[] = [],
  actions: readonly Destination[] = [],
  recent: readonly Destination[] = [],
): readonly Destination[] {
  const text = typed.trim();
  const known = BY_ID.find(({ form }) => form.test(text));
  if (known !== undefined) return [{ label: `${known.label} ${text}`, path: `${known.path}/${text}` }];
  const isMeant = ({ label }: Destination) => label.toLowerCase().includes(text.toLowerCase());
  const pages = navigationFor(person)
    .flatMap((part) => part.pages)
    .map(({ title, path }) => ({ label: title, path, ...keysTo(path) }))
    .filter(isMeant);
  // Enter runs the first entry, so an action is never first.
  if (text === '')
    return Object.entries({ Recent: recent, Pages: pages, Actions: actions }).flatMap(([part, all]) =>
      all.map((each) => ({ ...each, part })),
    );
  return [
    ...pages,
    ...actions.filter(isMeant).map((action) => ({ ...action, what: 'action' })),
    ...found,
    { label: `Search decisions for “${text}”`, path: '/decisions', query: { q: text, time: 'all' } },
  ];
}

function keysTo(path: string): Pick<Destination, 'keys'> {
  const key = Object.keys(PLACES).find((each) => PLACES[each]?.path === path);
  return key === undefined ? {} : { keys: ['g', key] };
}
