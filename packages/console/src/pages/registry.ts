/** Every page there is: one file each, loaded when it is first opened. A new page is one entry here. */
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

export const PAGES: readonly Page[] = [
  { path: '/', title: 'Start', nav: 'Start', access: 'anyone', load: () => import('./start.tsx') },
  { path: '/sign-in', title: 'Sign in', nav: null, access: 'anyone', load: () => import('./sign-in.tsx') },
  {
    path: '/playground',
    title: 'Playground',
    nav: 'Playground',
    access: 'owner',
    load: () => import('./playground.tsx'),
  },
  {
    path: '/waiting',
    title: 'Waiting',
    nav: 'Waiting',
    access: 'owner',
    load: () => import('./waiting.tsx'),
  },
  {
    path: '/decisions',
    title: 'Decisions',
    nav: 'Decisions',
    access: 'owner',
    load: () => import('./decisions.tsx'),
  },
  {
    path: '/decisions/:id',
    title: 'Decision',
    nav: null,
    access: 'owner',
    load: () => import('./decision.tsx'),
  },
  {
    path: '/policies',
    title: 'Policies',
    nav: 'Policies',
    access: 'owner',
    load: () => import('./policies.tsx'),
  },
  {
    path: '/policies/map',
    title: 'Policy map',
    nav: null,
    access: 'owner',
    load: () => import('./policy-map.tsx'),
  },
  {
    path: '/policies/revisions',
    title: 'Policy revisions',
    nav: null,
    access: 'owner',
    load: () => import('./policy-revisions.tsx'),
  },
];
