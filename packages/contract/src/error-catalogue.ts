/** Every error a caller can get: status, meaning and fix. A code never changes its meaning. */

export interface ErrorEntry {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly fix: string;
}

export const ERROR_CATALOGUE = {
  malformed_json: {
    status: 400,
    title: 'the body is not strict JSON',
    meaning: 'two parsers could read the body differently, or none can read it',
    fix: 'send one JSON text in UTF-8, without duplicate names, byte order mark or trailing characters',
  },
  missing_key: {
    status: 401,
    title: 'the API key is missing',
    meaning: 'the request has no `Authorization: Bearer` header',
    fix: 'send the API key as `Authorization: Bearer KEY`',
  },
  invalid_key: {
    status: 401,
    title: 'the API key is not valid',
    meaning: 'the key does not exist, was mistyped, or its workspace was deleted',
    fix: 'check that you copied the whole key, or create a new one',
  },
  key_revoked: {
    status: 401,
    title: 'the API key was revoked',
    meaning: 'an owner revoked this key, or the person who holds it is disabled',
    fix: 'ask the owner of the workspace for a new key',
  },
  key_expired: {
    status: 401,
    title: 'the API key has expired',
    meaning: 'its expiry date has passed, or its grace period after a rotation has ended',
    fix: 'use the key that replaced it, or ask the owner of the workspace for a new one',
  },
  insufficient_scope: {
    status: 403,
    title: 'the API key may not do this',
    meaning: 'the key is of the wrong kind, or is limited to other systems or workflows',
    fix: 'use a key of the right kind whose limits cover the request',
  },
  plan_limit: {
    status: 403,
    title: 'the plan does not include this',
    meaning:
      'the workspace has as many keys, webhooks, people or active freezes as it may have, may have no live keys, or its policy bundle is larger than it may be',
    fix: 'revoke a key, delete a webhook, lift a freeze or shorten the policy; the operator can grant live keys, which lifts the limit on the policy too, and `writecheck freeze` has no limit',
  },
  signup_closed: {
    status: 403,
    title: 'sign-up is closed',
    meaning: 'on this service only the operator creates workspaces',
    fix: 'ask the operator for a workspace',
  },
  workspace_suspended: {
    status: 403,
    title: 'the workspace is suspended',
    meaning: 'the operator of the service has suspended the workspace; nothing of it is lost',
    fix: 'ask the operator to resume it',
  },
  not_a_member: {
    status: 403,
    title: 'not a member of the workspace',
    meaning:
      'the identity provider knows you, but nobody in this workspace has this identity or an open invitation',
    fix: 'ask an owner of the workspace to invite your e-mail address',
  },
  not_a_reviewer: {
    status: 403,
    title: 'this review is for other reviewers',
    meaning: 'every control of the review names groups, and the author of the verdict is in none of them',
    fix: 'let a member of one of the groups decide',
  },
  self_review: {
    status: 403,
    title: 'nobody reviews their own request',
    meaning: 'the author of the verdict asked for this write, or holds or made a key that did',
    fix: 'let somebody else decide',
  },
  identity_too_weak: {
    status: 403,
    title: 'the review needs stronger proof of who decides',
    meaning: 'the review needs a person who signed in, or a verdict signed by a passkey',
    fix: 'sign in as a person, or sign the verdict with a passkey',
  },
  not_found: {
    status: 404,
    title: 'not found',
    meaning: 'nothing this key can see has this path or identifier',
    fix: 'check the path, the identifier and the workspace of the key',
  },
  decision_erased: {
    status: 410,
    title: 'the decision was erased',
    meaning:
      'an operator erased its record; the log still has its hash, and an entry that says who erased it and why',
    fix: 'ask the operator, or whoever kept an export or a receipt',
  },
  method_not_allowed: {
    status: 405,
    title: 'the path does not accept this method',
    meaning: 'the path exists, but not with this method',
    fix: 'use a method listed in the `Allow` header',
  },
  request_in_flight: {
    status: 409,
    title: 'the first request with this idempotency key is still running',
    meaning: 'a request with the same idempotency key has no response yet',
    fix: 'wait a moment and send the same request again',
  },
  idempotency_key_expired: {
    status: 409,
    title: 'the stored allow is no longer valid',
    meaning:
      'the allow expired, its policy, evidence or freezes changed, or it was pruned; or the freeze was lifted',
    fix: 'send the request again with a new idempotency key, if you still want it',
  },
  key_not_active: {
    status: 409,
    title: 'the key cannot be rotated',
    meaning: 'the key was already rotated, has expired, or was revoked',
    fix: 'use the key that replaced it, or create a new one',
  },
  last_owner_key: {
    status: 409,
    title: 'the last permanent owner key must remain',
    meaning: 'without it nobody could manage the workspace',
    fix: 'create another owner key that never expires, then try again',
  },
  loosening_unconfirmed: {
    status: 409,
    title: 'the bundle could loosen decisions',
    meaning: 'the service cannot show that the bundle is at least as strict as the live one',
    fix: 'review the examples, then confirm with `confirmLoosening`',
  },
  revision_conflict: {
    status: 409,
    title: 'another bundle is live',
    meaning: 'the digest in `If-Match` is not the digest of the live bundle',
    fix: 'read the live bundle, merge your changes, and apply again',
  },
  not_redeemable: {
    status: 409,
    title: 'the decision cannot be redeemed',
    meaning: 'it is not an allow, has expired, is for another write, or its evidence or policy has changed',
    fix: 'send a new check, unless the write already happened',
  },
  already_redeemed: {
    status: 409,
    title: 'the decision was already redeemed',
    meaning: 'an allow is valid for one write, and this one was used',
    fix: 'do not write again; find out whether the write happened before you send a new check',
  },
  outcome_recorded: {
    status: 409,
    title: 'the outcome was already recorded',
    meaning: 'another result of this decision was reported before, and only `unknown` may change, once',
    fix: 'find out which report is right; the log has both the decision and the first report',
  },
  not_reviewable: {
    status: 409,
    title: 'no review can resolve this decision',
    meaning:
      'the decision is not a pause that a person could resolve, is too old, or was made under another policy',
    fix: 'supply what the details name, or ask for a new decision and open a review of that one',
  },
  review_closed: {
    status: 409,
    title: 'the review is closed',
    meaning: 'the review was decided, cancelled or has expired, or does not have the state the call needs',
    fix: 'read the review; if the write is still wanted, ask for a new decision and open a new review',
  },
  email_taken: {
    status: 409,
    title: 'the e-mail address belongs to somebody else',
    meaning:
      'another person in this workspace, possibly a disabled one, has this address; upper and lower case are the same',
    fix: 'invite that person again, or use another address',
  },
  already_voted: {
    status: 409,
    title: 'you gave another verdict',
    meaning: 'the same author has approved this review and the review is still open',
    fix: 'withdraw that verdict, then give the other one',
  },
  already_asked: {
    status: 409,
    title: 'this key asked on behalf of somebody else',
    meaning: 'the key has named another person in `onBehalfOf` for this review; one key names one person',
    fix: 'leave `onBehalfOf` out, or name the same person',
  },
  run_in_progress: {
    status: 409,
    title: 'another impact run is in progress',
    meaning: 'a workspace has one run at a time in each process of the service',
    fix: 'wait for the end of the other run, or close its connection',
  },
  body_too_large: {
    status: 413,
    title: 'the body is too large',
    meaning: 'the body exceeds the limit of this path',
    fix: 'send less',
  },
  unsupported_media_type: {
    status: 415,
    title: 'the content type is not supported',
    meaning: 'this path does not accept the content type, or the body is encoded',
    fix: 'send `Content-Type: application/json` and no `Content-Encoding`',
  },
  invalid_intent: {
    status: 422,
    title: 'the write intent is not valid',
    meaning: 'members are missing, have the wrong type, or exceed a limit',
    fix: 'fix every place listed in the details',
  },
  unknown_member: {
    status: 422,
    title: 'a member is misspelt',
    meaning:
      'an unknown member looks like a known one or has an invisible character, and ignoring it could loosen the decision',
    fix: 'spell the member as the details suggest, or remove it',
  },
  unsupported_schema_version: {
    status: 422,
    title: 'the schema version is not supported',
    meaning: '`schemaVersion` is unknown, or does not fit the body',
    fix: 'send `write_intent.v1`, send `action_request.v1` with `operation`, or omit the member',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'the idempotency key belongs to another request',
    meaning: 'the key was used with another body, for another decision, or for another kind of request',
    fix: 'use a new idempotency key for every new request',
  },
  invalid_policy: {
    status: 422,
    title: 'the policy bundle is not valid',
    meaning: 'the bundle has errors, or one of its tests fails; the live bundle stays active',
    fix: 'fix every place listed in the details',
  },
  invalid_request: {
    status: 422,
    title: 'the request is not valid',
    meaning: 'members, parameters or headers are missing, have the wrong type, or exceed a limit',
    fix: 'fix every place listed in the details',
  },
  assertion_invalid: {
    status: 422,
    title: 'the passkey assertion does not verify',
    meaning: 'the assertion does not match this verdict, this review and a passkey of its author',
    fix: 'sign the verdict again, or omit `assertion` if the review does not need it',
  },
  quota_exceeded: {
    status: 429,
    title: 'the quota is used up',
    meaning:
      'the workspace has used all checks that its plan includes this month, or stored all bytes that it may store today',
    fix: 'wait for the seconds in `Retry-After`, or use a live key; an operator who grants live keys lifts the limit on bytes',
  },
  rate_limited: {
    status: 429,
    title: 'too many requests',
    meaning: 'the key, the workspace or the address exceeded its rate limit',
    fix: 'wait for the seconds in `Retry-After`',
  },
  internal_error: {
    status: 500,
    title: 'internal error',
    meaning: 'the service reached no decision, and the write is not permitted',
    fix: 'try again; if it fails again, give the operator the `request_id`',
  },
  overloaded: {
    status: 503,
    title: 'the service is overloaded',
    meaning: 'the service refused the request before it started any work on it',
    fix: 'wait for the seconds in `Retry-After`',
  },
  store_unavailable: {
    status: 503,
    title: 'the decision could not be recorded',
    meaning: 'the service sends no decision before its record is durable',
    fix: 'wait for the seconds in `Retry-After`, and treat the write as not permitted',
  },
  provider_unavailable: {
    status: 503,
    title: 'the identity provider cannot be reached',
    meaning: 'single sign-on needs the identity provider; passkeys and keys work without it',
    fix: 'sign in with a passkey or an owner key, or try again later',
  },
  clock_behind: {
    status: 503,
    title: 'the clock of the service is behind',
    meaning: 'the clock is far behind the newest record or a second clock, so ages cannot be trusted',
    fix: 'the operator must set the clock; wait for the seconds in `Retry-After`',
  },
  clock_ahead: {
    status: 503,
    title: 'the clock of the service is ahead',
    meaning:
      'the clock is far ahead of the database or of the time that passed, so nothing is recorded with its time',
    fix: 'the operator must set the clock; wait for the seconds in `Retry-After`',
  },
} as const satisfies { readonly [code: string]: ErrorEntry };

export type ErrorCode = keyof typeof ERROR_CATALOGUE;
