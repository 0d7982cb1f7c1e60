/** Acts on a review: verdicts, comments, cancelling and reopening. */
import {
  BODY_ERRORS,
  type BodyShape,
  bodyOf,
  choice,
  type Field,
  listOf,
  name,
  optional,
  writtenText,
} from '@writecheck/api';
import type { ErrorCode } from '@writecheck/contract';
import { type Assertion, STATEMENTS_MAX } from '@writecheck/ledger';
import { type Refusal, refuse } from '../../refusal.ts';
import type { Author } from '../../reviews/author.ts';
import { cancel, comment } from '../../reviews/cancel-review.ts';
import { giveVerdict } from '../../reviews/give-verdict.ts';
import { withdraw } from '../../reviews/judge-verdict.ts';
import { act, type Done, reopenReview } from '../../reviews/review-desk.ts';
import { readJson } from '../read-json.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { type Asking, answerReview } from './review-answers.ts';
import { REVIEW_BODY } from './review-schemas.ts';
import { SMALL_JSON } from './shared-schemas.ts';

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

const VERDICT = bodyOf({
  verdict: choice('approve', 'reject'),
  intentDigest: name,
  comment: optional(said),
  assertion: optional(assertion),
});
const CANCEL = bodyOf({ reason: optional(said) });
const REOPEN = bodyOf({ reason: said });
const COMMENT = bodyOf({ text: said });

const WHY_MESSAGE = 'a reject needs a `comment` that says why';
const SAY_WHY: Refusal = refuse('invalid_request', WHY_MESSAGE, [
  { pointer: '/comment', message: WHY_MESSAGE },
]);

const ERRORS = [...BODY_ERRORS, 'not_found', 'review_closed', 'clock_behind', 'clock_ahead'] as const;

type Handle<T> = (asking: Asking, id: string, value: T) => Promise<Done | Refusal>;

export function verdictRoutes({ reviews: parts }: ServiceParts): readonly Route[] {
  /** A route that takes a body and responds with the review. */
  const acting = <T>(
    path: string,
    rules: {
      readonly access: 'managing' | 'either';
      readonly shape: BodyShape<T>;
      readonly isOptional?: boolean;
      readonly operationId: string;
      readonly summary: string;
      readonly statuses: { readonly [status: string]: string };
      readonly errors: readonly ErrorCode[];
    },
    handle: Handle<T>,
  ): Route => ({
    method: 'POST',
    path,
    access: rules.access,
    body: { ...SMALL_JSON, schema: rules.shape.schema, ...(rules.isOptional && { isOptional: true }) },
    described: {
      operationId: rules.operationId,
      summary: rules.summary,
      success: Object.fromEntries(
        Object.entries(rules.statuses).map(([status, description]) => [
          status,
          { description, schema: REVIEW_BODY },
        ]),
      ),
      errors: [...ERRORS, ...rules.errors],
    },
    handle: (call) =>
      answerReview(parts, call, async (asking) => {
        const isLeftOut = rules.isOptional === true && call.body.length === 0;
        const read = readJson(rules.shape, isLeftOut ? EMPTY_BODY : call.body);
        return read.kind === 'refused' ? read : handle(asking, call.params.id!, read.value);
      }),
  });

  return [
    acting(
      '/v1/reviews/{id}/verdicts',
      {
        access: 'managing',
        shape: VERDICT,
        operationId: 'decideReview',
        summary: 'approve or reject a write, for the controls you may decide',
        statuses: { 200: 'the review' },
        errors: ['not_a_reviewer', 'self_review', 'identity_too_weak', 'assertion_invalid', 'already_voted'],
      },
      async (
        { workspace, viewer, by, nowMs },
        id,
        { verdict, intentDigest, comment: why, assertion: signed },
      ) => {
        if (verdict === 'reject' && why === undefined) return SAY_WHY;
        const sent = {
          verdict,
          by: by as Author,
          intentDigest,
          comment: why ?? null,
          assertion: signed ?? null,
        };
        return act(parts, workspace, viewer, by, id, nowMs, (review, standingOf) =>
          giveVerdict(parts, review, sent, standingOf, nowMs),
        );
      },
    ),
    {
      method: 'DELETE',
      path: '/v1/reviews/{id}/verdicts/mine',
      access: 'managing',
      described: {
        operationId: 'withdrawVerdict',
        summary: 'withdraw your approval while the review is open',
        success: { 200: { description: 'the review', schema: REVIEW_BODY } },
        errors: ['not_found', 'review_closed', 'clock_behind', 'clock_ahead'],
      },
      handle: (call) =>
        answerReview(parts, call, ({ workspace, viewer, by, nowMs }) =>
          act(parts, workspace, viewer, by, call.params.id!, nowMs, (review) =>
            withdraw(review, by as Author, nowMs),
          ),
        ),
    },
    acting(
      '/v1/reviews/{id}/cancel',
      {
        access: 'either',
        shape: CANCEL,
        isOptional: true,
        operationId: 'cancelReview',
        summary: 'cancel an open review, or withdraw an approval',
        statuses: { 200: 'the review, cancelled' },
        errors: ['insufficient_scope'],
      },
      ({ workspace, viewer, by, nowMs }, id, { reason }) =>
        act(parts, workspace, viewer, by, id, nowMs, (review, standingOf) =>
          cancel(review, by, reason ?? null, standingOf, nowMs),
        ),
    ),
    acting(
      '/v1/reviews/{id}/reopen',
      {
        access: 'managing',
        shape: REOPEN,
        operationId: 'reopenReview',
        summary: 'open a new review of a write whose review was rejected or has expired',
        statuses: { 200: 'the review of this write that is already open', 201: 'the new review' },
        errors: ['not_reviewable', 'rate_limited'],
      },
      ({ workspace, by, nowMs }, id, { reason }) => reopenReview(parts, workspace, id, by, reason, nowMs),
    ),
    acting(
      '/v1/reviews/{id}/comments',
      {
        access: 'either',
        shape: COMMENT,
        operationId: 'commentOnReview',
        summary: 'add a comment without a verdict',
        statuses: { 201: 'the review with the comment' },
        errors: ['rate_limited'],
      },
      async ({ workspace, viewer, by, nowMs }, id, { text }) => {
        const done = await act(parts, workspace, viewer, by, id, nowMs, (review) =>
          comment(review, by, text, nowMs),
        );
        return done.kind === 'refused' ? done : { ...done, isNew: true };
      },
    ),
  ];
}

const EMPTY_BODY = Buffer.from('{}');
