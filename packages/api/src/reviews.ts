/** Reviews: people decide what a policy leaves to them. */
import {
  type EvidenceItem,
  REVIEW_CAUSES,
  REVIEW_DESK,
  REVIEW_IDENTITIES,
  REVIEW_STATES,
  type Remediation,
  STATEMENTS_MAX,
} from '@writecheck/contract';
import { bodyOf, choice, type Field, flag, listOf, name, optional } from './fields.ts';
import { BODY_ERRORS, CLOCK_ERRORS, operations } from './operation.ts';
import { anyText, cursor, pageLimit } from './query-fields.ts';
import {
  absent,
  anyObject,
  constant,
  described,
  list,
  named,
  nullable,
  object,
  type Shape,
  shape,
  type TypeOf,
  text,
  time,
  whole,
} from './shape.ts';
import { link, writtenText } from './text-fields.ts';

const identity = choice(...REVIEW_IDENTITIES);
const state = choice(...REVIEW_STATES);
const verdict = choice('approve', 'reject');
function author<const Kind extends string>(...kinds: readonly Kind[]) {
  return absent(
    described('not for checking keys', object({ kind: choice(...kinds), id: text, name: nullable(text) })),
  );
}

const CONTROL = object({
  controlId: text,
  groups: nullable(list(text)),
  approvals: whole,
  identity,
  selfReview: flag,
});
const VERDICT = object({
  verdict,
  by: author('person', 'owner_key'),
  identity,
  controls: list(text),
  comment: nullable(text),
  at: time,
});
const COMMENT = object({ text, by: author('person', 'owner_key', 'checking_key'), at: time });
const ASKER = object({
  keyId: text,
  keyName: nullable(text),
  justification: nullable(text),
  onBehalfOf: nullable(text),
  externalRef: nullable(text),
  at: time,
});
const EVIDENCE: Shape<EvidenceItem> = object({
  controlId: text,
  source: constant(REVIEW_DESK),
  result: constant('PASS'),
  checkedAt: time,
  expiresAt: time,
  evidenceRef: text,
});

export const REVIEW = named(
  'Review',
  object({
    id: text,
    state,
    because: absent(choice(...REVIEW_CAUSES)),
    decisionId: text,
    intentDigest: text,
    intent: described('for a checking key only what the digest covers', anyObject),
    keyKind: choice('development', 'live'),
    controls: list(CONTROL),
    different: absent(
      described(
        'of each of these lists of controls, no approval of one author counts for two; not for checking keys',
        list(list(text)),
      ),
    ),
    confirms: absent(
      described('the control whose approval also confirms authority; not for checking keys', nullable(text)),
    ),
    alsoNeeded: described('what the caller must also supply', list(shape<Remediation>({ type: 'object' }))),
    verdicts: list(VERDICT),
    comments: list(COMMENT),
    askedBy: described('for a checking key only its own entries', list(ASKER)),
    excludedByCaller: absent(
      described(
        'people who may not approve because an `onBehalfOf` is their address; they may reject and cancel; not for checking keys',
        list(object({ id: text, name: text })),
      ),
    ),
    earlier: absent(
      described(
        'reviews of similar writes within 24 hours, rejected ones first; not for checking keys',
        list(object({ id: text, state, at: time })),
      ),
    ),
    allowedLately: absent(
      described(
        'allows of the same write within 24 hours, newest first; not in lists and not for checking keys',
        list(object({ decisionId: text, at: time, redeemedAt: nullable(time) })),
      ),
    ),
    openedAt: time,
    expiresAt: time,
    resolvedAt: nullable(time),
    validUntil: nullable(time),
    evidence: absent(
      described('to send with the next check, while it is valid; only for checking keys', list(EVIDENCE)),
    ),
    url: described(
      'the page that shows the review to a person',
      shape<string>({ type: 'string', format: 'uri' }),
    ),
  }),
);
const ONE = object({ review: REVIEW });

export type Review = TypeOf<typeof REVIEW>;

const said = writtenText(1, 2_000);
const base64url: Field<string> = {
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,8192}$' },
  isRequired: true,
  read: (value) =>
    typeof value === 'string' && /^[A-Za-z0-9_-]{1,8192}$/.test(value)
      ? { value }
      : { fault: 'must be base64url without padding' },
};
const ASSERTION = bodyOf({
  id: base64url,
  clientDataJSON: base64url,
  authenticatorData: base64url,
  signature: base64url,
  statements: optional(listOf(base64url, 1, STATEMENTS_MAX)),
});
/** A passkey's signature over one or several verdicts. */
export type Assertion = TypeOf<typeof ASSERTION>;
const assertion: Field<Assertion> = {
  schema: ASSERTION.schema,
  isRequired: false,
  read: (value) => {
    const read = ASSERTION.read(value);
    if ('faults' in read) return { fault: `is not valid: ${read.faults[0]!.message}` };
    const { statements, ...signed } = read.value;
    return { value: statements === undefined ? signed : { ...signed, statements } };
  },
};

const ACT_ERRORS = ['not_found', 'review_closed', ...CLOCK_ERRORS] as const;

export const REVIEWS = operations({
  openReview: {
    route: 'POST /v1/reviews',
    access: 'either',
    summary:
      'ask a person to review a paused write; a repeated request for the same write returns the same review',
    body: bodyOf({
      decision_id: name,
      justification: optional(writtenText(0, 2_000)),
      onBehalfOf: optional(writtenText(0, 256)),
      externalRef: optional(link),
    }),
    answers: { 200: ['the existing review', ONE], 201: ['a new review', ONE] },
    errors: [
      ...BODY_ERRORS,
      'insufficient_scope',
      'not_found',
      'not_reviewable',
      'already_asked',
      'rate_limited',
      ...CLOCK_ERRORS,
    ],
  },
  readReview: {
    route: 'GET /v1/reviews/{id}',
    access: 'either',
    summary: 'one review; `Retry-After` says when to read it again, as long as it is open',
    answers: { 200: ['the review', ONE] },
    errors: ['not_found', ...CLOCK_ERRORS],
  },
  listReviews: {
    route: 'GET /v1/reviews',
    access: 'either',
    summary: 'reviews: open ones by when they expire, then the others, newest first',
    query: bodyOf({
      state: described('only reviews in this state', optional(state)),
      system: described('only this target system; the match is exact, also in case', optional(anyText)),
      objectRef: described('only this object; the match is exact, also in case', optional(anyText)),
      controlId: described('only reviews of this control', optional(anyText)),
      intentDigest: described('only reviews of this write', optional(anyText)),
      for: described('`me`: open reviews that you could decide and have not', optional(choice('me'))),
      limit: optional(pageLimit),
      cursor,
    }),
    answers: {
      200: [
        'a page; `nextCursor` is null at the end',
        object({ reviews: list(REVIEW), nextCursor: nullable(text) }),
      ],
    },
    errors: ['invalid_request', ...CLOCK_ERRORS],
  },
  decideReview: {
    route: 'POST /v1/reviews/{id}/verdicts',
    access: 'managing',
    summary: 'approve or reject a write, for the controls you may decide',
    body: bodyOf({
      verdict,
      intentDigest: name,
      comment: optional(said),
      assertion: optional(assertion),
    }),
    answers: { 200: ['the review', ONE] },
    errors: [
      ...BODY_ERRORS,
      ...ACT_ERRORS,
      'not_a_reviewer',
      'self_review',
      'identity_too_weak',
      'assertion_invalid',
      'already_voted',
    ],
  },
  withdrawVerdict: {
    route: 'DELETE /v1/reviews/{id}/verdicts/mine',
    access: 'managing',
    summary: 'withdraw your approval while the review is open',
    answers: { 200: ['the review', ONE] },
    errors: ACT_ERRORS,
  },
  cancelReview: {
    route: 'POST /v1/reviews/{id}/cancel',
    access: 'either',
    summary: 'cancel an open review, or withdraw an approval',
    body: bodyOf({ reason: optional(said) }),
    isBodyOptional: true,
    answers: { 200: ['the review, cancelled', ONE] },
    errors: [...BODY_ERRORS, ...ACT_ERRORS, 'insufficient_scope'],
  },
  commentOnReview: {
    route: 'POST /v1/reviews/{id}/comments',
    access: 'either',
    summary: 'add a comment without a verdict',
    body: bodyOf({ text: said }),
    answers: { 201: ['the review with the comment', ONE] },
    errors: [...BODY_ERRORS, ...ACT_ERRORS, 'rate_limited'],
  },
});
