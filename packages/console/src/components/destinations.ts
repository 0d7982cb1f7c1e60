/** Where typed text can lead: pages by name, things by ID, or a search of decisions. */
import { navigationFor } from '../pages/registry.ts';
import type { Person } from '../state/session.ts';

export interface Destination {
  readonly label: string;
  /** What a thing is, beside its name. */
  readonly what?: string;
  readonly path: string;
  readonly query?: { readonly [name: string]: string };
}

const BY_ID = [
  { form: /^dec_[0-9a-f]{32}$/, label: 'Decision', path: '/decisions' },
  { form: /^rev_[0-9a-f]{32}$/, label: 'Review', path: '/reviews' },
  { form: /^key_[0-9a-f]{32}$/, label: 'Agent', path: '/agents' },
  { form: /^frz_[0-9a-f]{32}$/, label: 'Freeze', path: '/freezes' },
] as const;

/** `found` are things that have the typed words; they come after the pages. */
export function destinationsFor(
  typed: string,
  person: Person | undefined,
  found: readonly Destination[] = [],
): readonly Destination[] {
  const text = typed.trim();
  const known = BY_ID.find(({ form }) => form.test(text));
  if (known !== undefined) return [{ label: `${known.label} ${text}`, path: `${known.path}/${text}` }];
  const pages = navigationFor(person)
    .flatMap((part) => part.pages)
    .map(({ title, path }) => ({ label: title, path }))
    .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()));
  if (text === '') return pages;
  return [
    ...pages,
    ...found,
    { label: `Search decisions for “${text}”`, path: '/decisions', query: { q: text, time: 'all' } },
  ];
}
