/** The type of a page, apart from the registry, which imports every page. */
import type { ComponentType } from 'preact';
import type { Right } from '../state/rights.ts';

export interface PageProps {
  /** Values of the path's `:names`. */
  readonly params: { readonly [name: string]: string };
}

export interface Page {
  /** Such as `/decisions/:id`. */
  readonly path: string;
  readonly title: string;
  /** Its name in the navigation; null if it is not listed there. */
  readonly nav: string | null;
  /** Whether it needs an owner key or a person's session. */
  readonly access: 'anyone' | 'signed_in';
  /** Without this right the page would show nothing but a refusal. */
  readonly needs?: Right;
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>;
}
