/** The type of a page, apart from the registry, which imports every page. */
import type { Ruled } from '@writecheck/api/roles';
import type { ComponentType } from 'preact';

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
  /** Who may not use this operation would see nothing but a refusal. */
  readonly needs?: Ruled;
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>;
}
