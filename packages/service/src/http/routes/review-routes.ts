/** Opens, reads and lists reviews, for the key that asked or for an owner. */
import {
  anyText,
  BODY_ERRORS,
  bodyOf,
  choice,
  link,
  name,
  numberInQuery,
  optional,
  PAGE_DEFAULT_MAX,
  pageLimit,
  writtenText,
} from '@writecheck/api';
import { REVIEW_STATES } from '@writecheck/contract';
import { type Answer, json } from '../../answer.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import { askForReview } from '../../reviews/ask-for-review.ts';
import type { Author, StandingOf } from '../../reviews/author.ts';
import { couldGive } from '../../reviews/count-approvals.ts';
import { communityOf } from '../../reviews/people-standing.ts';
import { findReview, listReviews, NO_REVIEW, settled } from '../../reviews/read-reviews.ts';
import type { Review } from '../../reviews/review.ts';
import { type Done, open } from '../../reviews/review-desk.ts';
import type { ReviewParts } from '../../reviews/review-parts.ts';
import { standingVerdict } from '../../reviews/standing-verdict.ts';
import { readJson, readQuery } from '../read-json.ts';
import type { Described, Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { type Asking, answerReview } from './review-answers.ts';
import { REVIEW_BODY, REVIEWS_BODY } from './review-schemas.ts';
import { SMALL_JSON } from './shared-schemas.ts';

const WAIT_SECONDS_MAX = 50;

const OPEN = bodyOf({
  decision_id: name,
  justification: optional(writtenText(0, 2_000)),
  onBehalfOf: optional(writtenText(0, 256)),
  externalRef: optional(link),
});
const READ = bodyOf({ wait: optional(numberInQuery(0, WAIT_SECONDS_MAX, 0)) });
const LIST = bodyOf({
  state: optional(choice(...REVIEW_STATES)),
  system: optional(anyText),
  objectRef: optional(anyText),
  controlId: optional(anyText),
  intentDigest: optional(anyText),
  for: optional(choice('me')),
  limit: optional(pageLimit),
  cursor: optional(anyText),
});
const LIST_DESCRIPTIONS = {
  state: 'only reviews in this state',
  system: 'only this target system',
  objectRef: 'only this object',
  controlId: 'only reviews of this control',
  intentDigest: 'only reviews of this write',
  for: '`me`: open reviews that you could decide and have not',
  limit: 'maximum number of items',
  cursor: 'the `nextCursor` of the previous page',
};

export function reviewRoutes({ reviews: parts }: ServiceParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/reviews',
      access: 'either',
      body: { ...SMALL_JSON, schema: OPEN.schema },
      described: {
        operationId: 'openReview',
        summary:
          'ask a person to review a paused write; a repeated request for the same write returns the same review',
        success: {
          200: { description: 'the existing review', schema: REVIEW_BODY },
          201: { description: 'a new review', schema: REVIEW_BODY },
        },
        errors: [
          ...BODY_ERRORS,
          'insufficient_scope',
          'not_found',
          'not_reviewable',
          'already_asked',
          'rate_limited',
          'clock_behind',
          'clock_ahead',
        ],
      },
      handle: (call) => answerReview(parts, call, (asking) => openFor(parts, asking)),
    },
    {
      method: 'GET',
      path: '/v1/reviews/{id}',
      access: 'either',
      described: {
        operationId: 'readReview',
        summary: 'one review; with `wait` the response comes when the review changes or the time is over',
        query: {
          wait: { description: 'seconds to wait while the review is open', schema: READ.members.wait! },
        },
        success: { 200: { description: 'the review', schema: REVIEW_BODY } },
        errors: ['invalid_request', 'not_found', 'clock_behind', 'clock_ahead'],
      },
      handle: (call) => answerReview(parts, call, (asking) => readFor(parts, asking)),
    },
    {
      method: 'GET',
      path: '/v1/reviews',
      access: 'either',
      described: {
        operationId: 'listReviews',
        summary: 'reviews: open ones by when they expire, then the others, newest first',
        query: listQuery(),
        success: { 200: { description: 'a page; `nextCursor` is null at the end', schema: REVIEWS_BODY } },
        errors: ['invalid_request', 'clock_behind', 'clock_ahead'],
      },
      handle: (call) => answerReview(parts, call, (asking) => listFor(parts, asking)),
    },
  ];
}

function listQuery(): Described['query'] & object {
  return Object.fromEntries(
    Object.entries(LIST_DESCRIPTIONS).map(([member, description]) => [
      member,
      { description, schema: LIST.members[member]! },
    ]),
  );
}

async function openFor(parts: ReviewParts, { call, viewer, nowMs }: Asking): Promise<Done | Refusal> {
  const read = readJson(OPEN, call.body);
  if (read.kind === 'refused') return read;
  const { decision_id: decisionId, justification, onBehalfOf, externalRef } = read.value;
  const wanted = {
    decisionId,
    // An empty text counts as none.
    justification: justification || null,
    onBehalfOf: onBehalfOf || null,
    externalRef: externalRef ?? null,
  };
  const asked = await askForReview(parts, call.actor, viewer, wanted, nowMs);
  return asked.kind === 'refused' ? asked : open(parts, asked.asked, nowMs);
}

async function readFor(parts: ReviewParts, asking: Asking): Promise<Done | Refusal> {
  const { call, workspace, nowMs } = asking;
  const read = readQuery(READ, call.query);
  if (read.kind === 'refused') return read;
  const id = call.params.id!;
  const seconds = read.value.wait ?? 0;
  const wait = seconds === 0 ? null : parts.waits.begin(call.actor.id, workspace, id);
  if (wait === null) return readNow(parts, asking, id, nowMs);
  const stopListening = call.request.whenGone(() => wait.end());
  try {
    const startedMs = performance.now();
    let elapsedMs = 0;
    let first: Done | null = null;
    for (;;) {
      const now = await readNow(parts, asking, id, nowMs + elapsedMs);
      if (now.kind === 'refused') return now;
      first ??= now;
      const { state, version, expiresAtMs } = now.review;
      elapsedMs = Math.round(performance.now() - startedMs);
      const leftMs = Math.min(seconds * 1_000 - elapsedMs, expiresAtMs - nowMs - elapsedMs);
      const hasChanged = state !== 'open' || version !== first.review.version;
      if (hasChanged || leftMs <= 0 || wait.hasEnded || parts.waits.isOver) return now;
      await wait.next(leftMs);
      // The client left. A thousand that leave together must not cost a thousand reads.
      if (wait.hasEnded) return now;
      elapsedMs = Math.round(performance.now() - startedMs);
      const refusal = await call.refuseNow(nowMs + elapsedMs);
      if (refusal !== null) return refusal;
    }
  } finally {
    stopListening();
    wait.end();
  }
}

async function readNow(
  parts: ReviewParts,
  { workspace, viewer }: Asking,
  id: string,
  nowMs: number,
): Promise<Done | Refusal> {
  const review = await findReview(parts, workspace, viewer, id);
  if (review === null) return NO_REVIEW;
  const [now] = await settled(parts, workspace, [review], nowMs);
  return { kind: 'done', review: now!, isNew: false };
}

const FOR_ME = '`for=me` is for reviewers, not for keys that send checks';

async function listFor(parts: ReviewParts, { call, viewer, by, nowMs }: Asking): Promise<Answer | Refusal> {
  const read = readQuery(LIST, call.query);
  if (read.kind === 'refused') return read;
  const { for: forWhom, limit = PAGE_DEFAULT_MAX, ...filters } = read.value;
  if (forWhom === 'me' && by.kind === 'checking_key') {
    return refuse('invalid_request', FOR_ME, [{ pointer: '/for', message: FOR_ME }]);
  }
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
  const state = forWhom === 'me' ? 'open' : filters.state;
  // A closed review waits for nobody.
  if (forWhom === 'me' && filters.state !== undefined && filters.state !== 'open') {
    return json(200, { reviews: [], nextCursor: null });
  }
  const author = by as Author;
  const { standingOf } = await communityOf(parts.store, call.actor.workspace, [], by);
  const isWanted = (review: Review) =>
    (state === undefined || review.state === state) &&
    (forWhom === undefined || waitsFor(review, author, standingOf, nowMs));
  const query = { ...given, ...(state !== undefined && { state }), workspace: call.actor.workspace, limit };
  const list = await listReviews(parts, viewer, query, isWanted, nowMs);
  return list.kind === 'refused' ? list : json(200, { reviews: list.reviews, nextCursor: list.nextCursor });
}

function waitsFor(review: Review, author: Author, standingOf: StandingOf, nowMs: number): boolean {
  const standing = standingOf(author, review);
  if (standing === null || !couldGive('reject', review, standing)) return false;
  return standingVerdict(review, author, standingOf, nowMs) === null;
}
