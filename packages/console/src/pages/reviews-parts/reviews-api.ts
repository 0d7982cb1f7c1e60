/** The calls that the review pages make. */
import {
  REVIEW_STATES,
  type Remediation,
  type ReviewCause,
  type ReviewIdentity,
  type ReviewState,
} from '@writecheck/contract';
import { callAs, type Outcome } from '../../api.ts';
import type { Assertion } from '../../passkey.ts';

export interface Who {
  readonly kind: 'person' | 'owner_key' | 'checking_key';
  readonly id: string;
  readonly name: string | null;
}

export interface ReviewControl {
  readonly controlId: string;
  readonly groups: readonly string[] | null;
  readonly approvals: number;
  readonly identity: ReviewIdentity;
  readonly selfReview: boolean;
}

export interface Review {
  readonly id: string;
  readonly state: ReviewState;
  readonly because?: ReviewCause;
  readonly decisionId: string;
  readonly intentDigest: string;
  readonly intent: { readonly [member: string]: unknown };
  readonly keyKind: 'development' | 'live';
  readonly controls: readonly ReviewControl[];
  readonly alsoNeeded: readonly Remediation[];
  readonly verdicts: readonly {
    readonly verdict: 'approve' | 'reject';
    readonly by?: Who;
    readonly controls: readonly string[];
    readonly comment: string | null;
    readonly at: string;
  }[];
  readonly comments: readonly { readonly text: string; readonly by?: Who; readonly at: string }[];
  readonly askedBy: readonly {
    readonly keyId: string;
    readonly keyName: string | null;
    readonly justification: string | null;
    readonly onBehalfOf: string | null;
    readonly externalRef: string | null;
    readonly at: string;
  }[];
  readonly earlier?: readonly { readonly id: string; readonly state: ReviewState; readonly at: string }[];
  readonly openedAt: string;
  readonly expiresAt: string;
  readonly resolvedAt: string | null;
  readonly validUntil: string | null;
}

export interface ReviewPage {
  readonly reviews: readonly Review[];
  readonly nextCursor: string | null;
}

type One = { readonly review: Review };
const ONE = { review: 'object' } as const;

export function listReviews(
  query: { readonly [name: string]: string },
  signal: AbortSignal,
): Promise<Outcome<ReviewPage>> {
  return callAs('GET', `/v1/reviews?${new URLSearchParams(query)}`, { signal, has: { reviews: 'array' } });
}

const PAGE_MAX = 200;

/** Up to `max` reviews, over as many pages as that takes. */
export async function listAll(
  query: { readonly [name: string]: string },
  max: number,
  signal: AbortSignal,
): Promise<Outcome<ReviewPage>> {
  const reviews: Review[] = [];
  let cursor = '';
  for (;;) {
    const limit = String(Math.min(PAGE_MAX, max - reviews.length));
    const page = await listReviews(cursor === '' ? { ...query, limit } : { ...query, limit, cursor }, signal);
    if (page.kind === 'failure') return page;
    reviews.push(...page.value.reviews);
    const { nextCursor } = page.value;
    if (nextCursor === null || reviews.length >= max) return { ...page, value: { reviews, nextCursor } };
    cursor = nextCursor;
  }
}

/** How many open reviews are read: the second is the most that a workspace can have. */
const OPEN_READ = [200, 1_000] as const;

/** Open reviews that the user cannot decide, or has decided: at least `wanted`, if there are so many. */
export async function listOthers(wanted: number, signal: AbortSignal): Promise<Outcome<ReviewPage>> {
  for (const max of OPEN_READ) {
    const [open, mine] = await Promise.all([
      listAll({ state: 'open' }, max, signal),
      // Both lists have one order, so these include all of the user's among the open ones above.
      listAll({ state: 'open', for: 'me' }, max, signal),
    ]);
    if (open.kind === 'failure') return open;
    if (mine.kind === 'failure') return mine;
    const ids = new Set(mine.value.reviews.map(({ id }) => id));
    const reviews = open.value.reviews.filter(({ id }) => !ids.has(id));
    const { nextCursor } = open.value;
    if (reviews.length >= wanted || nextCursor === null || max === OPEN_READ.at(-1))
      return { ...open, value: { reviews, nextCursor } };
  }
  throw new Error('unreachable');
}

const CLOSED = REVIEW_STATES.filter((state) => state !== 'open');

/** The newest closed reviews. */
export function listClosed(limit: number, signal: AbortSignal): Promise<Outcome<readonly Review[]>> {
  return newestOf(CLOSED, limit, signal);
}

/** The newest reviews that may have verdicts: an expired one has none that counted. */
export function listDecided(limit: number, signal: AbortSignal): Promise<Outcome<readonly Review[]>> {
  return newestOf(REVIEW_STATES, limit, signal);
}

/** The API filters by one state at a time, and lists open reviews before all others. */
async function newestOf(
  states: readonly ReviewState[],
  limit: number,
  signal: AbortSignal,
): Promise<Outcome<readonly Review[]>> {
  const outcomes = await Promise.all(states.map((state) => listAll({ state }, limit, signal)));
  const found: Review[] = [];
  for (const outcome of outcomes) {
    if (outcome.kind === 'failure') return outcome;
    found.push(...outcome.value.reviews);
  }
  const closedAt = ({ resolvedAt, openedAt }: Review) => Date.parse(resolvedAt ?? openedAt);
  found.sort((a, b) => closedAt(b) - closedAt(a));
  return { kind: 'success', value: found.slice(0, limit), headers: new Headers() };
}

export function readReview(id: string, signal: AbortSignal): Promise<Outcome<One>> {
  return callAs('GET', pathOf(id), { signal, has: ONE });
}

export function openReview(decisionId: string): Promise<Outcome<One>> {
  return callAs('POST', '/v1/reviews', { json: { decision_id: decisionId }, has: ONE });
}

/** `intentDigest` is the page's own, of the write as it was shown. */
export function giveVerdict(
  id: string,
  verdict: 'approve' | 'reject',
  intentDigest: string,
  comment: string,
  assertion?: Assertion,
): Promise<Outcome<One>> {
  const said = { ...(comment === '' ? {} : { comment }), ...(assertion === undefined ? {} : { assertion }) };
  return callAs('POST', `${pathOf(id)}/verdicts`, { json: { verdict, intentDigest, ...said }, has: ONE });
}

export function withdrawVerdict(id: string): Promise<Outcome<One>> {
  return callAs('DELETE', `${pathOf(id)}/verdicts/mine`, { has: ONE });
}

export function cancelReview(id: string, reason: string): Promise<Outcome<One>> {
  return callAs('POST', `${pathOf(id)}/cancel`, { json: reason === '' ? {} : { reason }, has: ONE });
}

export function reopenReview(id: string, reason: string): Promise<Outcome<One>> {
  return callAs('POST', `${pathOf(id)}/reopen`, { json: { reason }, has: ONE });
}

export function commentOn(id: string, text: string): Promise<Outcome<One>> {
  return callAs('POST', `${pathOf(id)}/comments`, { json: { text }, has: ONE });
}

function pathOf(id: string): string {
  return `/v1/reviews/${encodeURIComponent(id)}`;
}
