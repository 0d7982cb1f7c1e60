/** All pages. Each is loaded when first opened. */
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

function signedIn(path: string, title: string, nav: string | null, page: Page['load'], needs?: Ruled): Page {
  const load = async () => (await Promise.all([page(), import('../style/signed-in.css')]))[0];
  return { path, title, nav, access: 'signed_in', load, ...(needs !== undefined && { needs }) };
}

function open(path: string, title: string, load: Page['load']): Page {
  return { path, title, nav: null, access: 'anyone', load };
}

export const PAGES: readonly Page[] = [
  open('/', 'Welcome', () => import('./start/start.tsx')),
  signedIn('/new-workspace', 'New workspace', null, () => import('./start/start.tsx')),
  signedIn('/overview', 'Overview', 'Overview', () => import('./overview/overview.tsx')),
  open('/sign-in', 'Sign in', () => import('./sign-in/sign-in.tsx')),
  open('/sign-in/returned', 'Sign in', () => import('./sign-in/sign-in-returned.tsx')),
  open('/invitation', 'Invitation', () => import('./sign-in/invitation.tsx')),
  signedIn('/reviews', 'Inbox', 'Inbox', () => import('./reviews/reviews.tsx')),
  signedIn('/reviews/together', 'Review together', null, () => import('./reviews/reviews-together.tsx')),
  signedIn('/reviews/:id', 'Review', null, () => import('./reviews/review.tsx')),
  signedIn('/decisions', 'Decisions', 'Decisions', () => import('./decisions/decisions.tsx')),
  signedIn('/decisions/:id', 'Decision', null, () => import('./decisions/decision.tsx')),
  signedIn('/agents', 'Agents', 'Agents', () => import('./agents/agents.tsx'), 'listKeys'),
  signedIn('/agents/:id', 'Agent', null, () => import('./agents/agent.tsx'), 'listKeys'),
  signedIn('/freezes', 'Freezes', 'Freezes', () => import('./freezes/freezes.tsx')),
  signedIn('/freezes/:id', 'Freeze', null, () => import('./freezes/freeze.tsx')),
  signedIn('/policies', 'Policies', 'Policies', () => import('./policies/policies.tsx')),
  signedIn('/policies/map', 'Policy map', 'Map', () => import('./policies/policy-map.tsx')),
  signedIn('/limits', 'Limits', 'Limits', () => import('./limits/limits.tsx'), 'listLimits'),
  signedIn('/observe', 'Observe', 'Observe', () => import('./policies/observe.tsx')),
  signedIn(
    '/policies/revisions',
    'Policy revisions',
    'Revisions',
    () => import('./policies/policy-revisions.tsx'),
  ),
  signedIn('/playground', 'Playground', 'Playground', () => import('./playground/playground.tsx')),
  signedIn('/audit', 'Audit log', 'Audit log', () => import('./audit/audit.tsx')),
  signedIn(
    '/evidence-sources',
    'Evidence sources',
    'Evidence sources',
    () => import('./evidence-sources.tsx'),
  ),
  signedIn('/keys', 'Keys', 'Keys', () => import('./keys/keys.tsx'), 'listKeys'),
  signedIn('/people', 'People', 'People', () => import('./people/people.tsx'), 'listPeople'),
  signedIn('/webhooks', 'Webhooks', 'Webhooks', () => import('./webhooks/webhooks.tsx'), 'listWebhooks'),
  signedIn('/usage', 'Usage', 'Usage', () => import('./usage.tsx'), 'readUsage'),
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
