import { describe, expect, test } from 'vitest';
import { ERROR_CATALOGUE } from './error-catalogue.ts';
import { problem } from './problem.ts';
import { REASON_CATALOGUE } from './reason-catalogue.ts';
import { CONTROL_CODES, GATE_CODES } from './vocabulary.ts';

const STATUSES = {
  400: ['malformed_json'],
  401: ['missing_key', 'invalid_key', 'key_revoked', 'key_expired'],
  403: [
    'insufficient_scope',
    'plan_limit',
    'signup_closed',
    'workspace_suspended',
    'not_a_reviewer',
    'self_review',
    'identity_too_weak',
    'not_a_member',
  ],
  404: ['not_found'],
  405: ['method_not_allowed'],
  410: ['decision_erased'],
  409: [
    'request_in_flight',
    'idempotency_key_expired',
    'key_not_active',
    'last_owner_key',
    'loosening_unconfirmed',
    'revision_conflict',
    'not_redeemable',
    'already_redeemed',
    'outcome_recorded',
    'not_reviewable',
    'review_closed',
    'already_voted',
    'already_asked',
    'run_in_progress',
    'email_taken',
  ],
  413: ['body_too_large'],
  415: ['unsupported_media_type'],
  422: [
    'invalid_intent',
    'unknown_member',
    'unsupported_schema_version',
    'idempotency_key_reused',
    'invalid_policy',
    'invalid_request',
    'assertion_invalid',
  ],
  429: ['quota_exceeded', 'rate_limited'],
  500: ['internal_error'],
  503: ['overloaded', 'store_unavailable', 'provider_unavailable', 'clock_behind', 'clock_ahead'],
};

describe('the catalogues', () => {
  test('every published error has its status, and there are no others', () => {
    const published = Object.entries(STATUSES).flatMap(([status, codes]) =>
      codes.map((code) => [code, Number(status)]),
    );
    const held = Object.entries(ERROR_CATALOGUE).map(([code, { status }]) => [code, status]);
    expect(held.sort()).toEqual(published.sort());
  });

  test('every reason of a decision is explained, and no other', () => {
    const reasons = [...GATE_CODES, ...Object.values(CONTROL_CODES)].filter(
      (code) => code !== 'CONTROL_SATISFIED',
    );
    expect(Object.keys(REASON_CATALOGUE).sort()).toEqual(reasons.sort());
  });

  test('texts are lower case without a full stop, and titles are unique', () => {
    const texts = [...Object.values(ERROR_CATALOGUE), ...Object.values(REASON_CATALOGUE)].flatMap((entry) =>
      Object.values(entry).filter((value) => typeof value === 'string' && value.includes(' ')),
    ) as string[];
    expect(texts.length).toBeGreaterThan(100);
    for (const text of texts) expect(text).toMatch(/^[a-z`].*[^.\s]$/s);
    const titles = Object.values(ERROR_CATALOGUE).map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });
});

describe('the error envelope', () => {
  const input = { message: 'no `x`', requestId: 'req_1', traceId: 'trace', timestampMs: 0 };

  test('is problem details that cannot be mistaken for a decision', () => {
    expect(problem({ ...input, code: 'invalid_intent', details: [{ pointer: '/a', message: 'm' }] })).toEqual(
      {
        type: 'urn:writecheck:error:invalid_intent',
        title: 'the write intent is not valid',
        status: 422,
        detail: 'no `x`',
        success: false,
        allowed: false,
        failClosed: true,
        error: { code: 'invalid_intent', message: 'no `x`', details: [{ pointer: '/a', message: 'm' }] },
        request_id: 'req_1',
        traceId: 'trace',
        timestamp: '1970-01-01T00:00:00.000Z',
      },
    );
  });

  test('has details only if there are some', () => {
    for (const details of [undefined, []]) {
      expect(problem({ ...input, code: 'not_found', details }).error).toEqual({
        code: 'not_found',
        message: 'no `x`',
      });
    }
  });
});
