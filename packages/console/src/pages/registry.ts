/** All pages. Each is one file, loaded when first opened. */
import type { Page } from './page.ts';

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
  {
    path: '/observe',
    title: 'Observe',
    nav: 'Observe',
    access: 'owner',
    load: () => import('./observe.tsx'),
  },
  {
    path: '/keys',
    title: 'Keys',
    nav: 'Keys',
    access: 'owner',
    load: () => import('./keys.tsx'),
  },
  {
    path: '/usage',
    title: 'Usage',
    nav: 'Usage',
    access: 'owner',
    load: () => import('./usage.tsx'),
  },
];
