/** The type of a page, apart from the registry, which imports every page. */
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
  /** Whether it needs a signed-in owner. */
  readonly access: 'anyone' | 'owner';
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>;
}
