/** All pages. Each is one file, loaded when first opened. */
import type { Ruled } from '@writecheck/api/roles';
import { hasRight, type Person } from '../state/session.ts';
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

function owner(path: string, title: string, nav: string | null, page: Page['load'], needs?: Ruled): Page {
  const load = async () => (await Promise.all([page(), import('../style/signed-in.css')]))[0];
  return { path, title, nav, access: 'signed_in', load, ...(needs !== undefined && { needs }) };
}

function open(path: string, title: string, load: Page['load']): Page {
  return { path, title, nav: null, access: 'anyone', load };
}

export const PAGES: readonly Page[] = [
  open('/', 'Welcome', () => import('./start/start.tsx')),
  owner('/new-workspace', 'New workspace', null, () => import('./start/start.tsx')),
  owner('/overview', 'Overview', 'Overview', () => import('./overview/overview.tsx')),
  open('/sign-in', 'Sign in', () => import('./sign-in/sign-in.tsx')),
  open('/sign-in/returned', 'Sign in', () => import('./sign-in/sign-in-returned.tsx')),
  open('/invitation', 'Invitation', () => import('./sign-in/invitation.tsx')),
  owner('/reviews', 'Inbox', 'Inbox', () => import('./reviews/reviews.tsx')),
  owner('/reviews/together', 'Review together', null, () => import('./reviews/reviews-together.tsx')),
  owner('/reviews/:id', 'Review', null, () => import('./reviews/review.tsx')),
  owner('/decisions', 'Decisions', 'Decisions', () => import('./decisions/decisions.tsx')),
  owner('/decisions/:id', 'Decision', null, () => import('./decisions/decision.tsx')),
  owner('/agents', 'Agents', 'Agents', () => import('./agents/agents.tsx'), 'listKeys'),
  owner('/agents/:id', 'Agent', null, () => import('./agents/agent.tsx'), 'listKeys'),
  owner('/freezes', 'Freezes', 'Freezes', () => import('./freezes/freezes.tsx')),
  owner('/freezes/:id', 'Freeze', null, () => import('./freezes/freeze.tsx')),
  owner('/policies', 'Policies', 'Policies', () => import('./policies/policies.tsx')),
  owner('/policies/map', 'Policy map', 'Map', () => import('./policies/policy-map.tsx')),
  owner('/limits', 'Limits', 'Limits', () => import('./limits/limits.tsx'), 'listLimits'),
  owner('/observe', 'Observe', 'Observe', () => import('./policies/observe.tsx')),
  owner(
    '/policies/revisions',
    'Policy revisions',
    'Revisions',
    () => import('./policies/policy-revisions.tsx'),
  ),
  owner('/playground', 'Playground', 'Playground', () => import('./playground/playground.tsx')),
  owner('/audit', 'Audit log', 'Audit log', () => import('./audit/audit.tsx')),
  owner('/evidence-sources', 'Evidence sources', 'Evidence sources', () => import('./evidence-sources.tsx')),
  owner('/keys', 'Keys', 'Keys', () => import('./keys/keys.tsx'), 'listKeys'),
  owner('/people', 'People', 'People', () => import('./people/people.tsx'), 'listPeople'),
  owner('/webhooks', 'Webhooks', 'Webhooks', () => import('./webhooks/webhooks.tsx'), 'listWebhooks'),
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
