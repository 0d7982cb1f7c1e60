/** What a page is, apart from the list of them, which every page is loaded by. */
import type { ComponentType } from 'preact';

export interface PageProps {
  /** Of the path's `:names`. */
  readonly params: { readonly [name: string]: string };
}

export interface Page {
  /** Such as `/decisions/:id`. */
  readonly path: string;
  readonly title: string;
  /** What the navigation calls it; null for a page that is reached from another one. */
  readonly nav: string | null;
  /** Whether somebody has to be signed in. */
  readonly access: 'anyone' | 'owner';
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>;
}
