/** All pages. Each is one file, loaded when first opened. */
import type { Ruled } from '@writecheck/api/roles';
import { hasRight } from '../state/rights.ts';
import type { Person } from '../state/session.ts';
import type { Page } from './page.ts';

/** The navigation, by job. Each path is one of `PAGES`. */
export const NAVIGATION: readonly { readonly title: string; readonly paths: readonly string[] }[] = [
  { title: 'Work', paths: ['/overview', '/reviews', '/decisions', '/agents', '/freezes'] },
  {
    title: 'Rules',
    paths: ['/policies', '/policies/map', '/limits', '/observe', '/policies/revisions', '/playground'],
  },
  { title: 'Proof', paths: ['/audit', '/evidence-sources'] },
  { title: 'Settings', paths: ['/keys', '/people', '/webhooks', '/usage'] },
];

function owner(path: string, title: string, nav: string | null, load: Page['load'], needs?: Ruled): Page {
  return { path, title, nav, access: 'signed_in', load, ...(needs !== undefined && { needs }) };
}

function open(path: string, title: string, load: Page['load']): Page {
  return { path, title, nav: null, access: 'anyone', load };
}

export const PAGES: readonly Page[] = [
  open('/', 'Welcome', () => import('./start.tsx')),
  owner('/new-workspace', 'New workspace', null, () => import('./start.tsx')),
  owner('/overview', 'Overview', 'Overview', () => import('./overview.tsx')),
  open('/sign-in', 'Sign in', () => import('./sign-in.tsx')),
  open('/sign-in/returned', 'Sign in', () => import('./sign-in-returned.tsx')),
  open('/invitation', 'Invitation', () => import('./invitation.tsx')),
  owner('/reviews', 'Inbox', 'Inbox', () => import('./reviews.tsx')),
  owner('/reviews/together', 'Review together', null, () => import('./reviews-together.tsx')),
  owner('/reviews/:id', 'Review', null, () => import('./review.tsx')),
  owner('/decisions', 'Decisions', 'Decisions', () => import('./decisions.tsx')),
  owner('/decisions/:id', 'Decision', null, () => import('./decision.tsx')),
  owner('/agents', 'Agents', 'Agents', () => import('./agents.tsx'), 'listKeys'),
  owner('/agents/:id', 'Agent', null, () => import('./agent.tsx'), 'listKeys'),
  owner('/freezes', 'Freezes', 'Freezes', () => import('./freezes.tsx')),
  owner('/freezes/:id', 'Freeze', null, () => import('./freeze.tsx')),
  owner('/policies', 'Policies', 'Policies', () => import('./policies.tsx')),
  owner('/policies/map', 'Policy map', 'Map', () => import('./policy-map.tsx')),
  owner('/limits', 'Limits', 'Limits', () => import('./limits.tsx'), 'listLimits'),
  owner('/observe', 'Observe', 'Observe', () => import('./observe.tsx')),
  owner('/policies/revisions', 'Policy revisions', 'Revisions', () => import('./policy-revisions.tsx')),
  owner('/playground', 'Playground', 'Playground', () => import('./playground.tsx')),
  owner('/audit', 'Audit log', 'Audit log', () => import('./audit.tsx')),
  owner('/evidence-sources', 'Evidence sources', 'Evidence sources', () => import('./evidence-sources.tsx')),
  owner('/keys', 'Keys', 'Keys', () => import('./keys.tsx'), 'listKeys'),
  owner('/people', 'People', 'People', () => import('./people.tsx'), 'listPeople'),
  owner('/webhooks', 'Webhooks', 'Webhooks', () => import('./webhooks.tsx'), 'listWebhooks'),
  owner('/usage', 'Usage', 'Usage', () => import('./usage.tsx'), 'readUsage'),
];

export function mayOpen({ needs }: Page, person: Person | undefined): boolean {
  return needs === undefined || hasRight(person, needs);
}

/** The navigation with the pages that the user may open; a part without any is left out. */
export function navigationFor(
  person: Person | undefined,
): readonly { readonly title: string; readonly pages: readonly Page[] }[] {
  return NAVIGATION.map(({ title, paths }) => ({
    title,
    pages: paths
      .map((path) => PAGES.find((page) => page.path === path)!)
      .filter((page) => mayOpen(page, person)),
  })).filter(({ pages }) => pages.length > 0);
}
