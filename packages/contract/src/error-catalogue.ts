/** Every error a caller can meet: its status, what it means and how to mend it. A code never changes its meaning. */

export interface ErrorEntry {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly mend: string;
}

export const ERROR_CATALOGUE = {
  malformed_json: {
    status: 400,
    title: 'the body is not strict JSON',
    meaning: 'two parsers could read the body differently, or none can read it',
    mend: 'send one JSON text in UTF-8 without duplicate names, a byte order mark or anything behind it',
  },
  missing_key: {
    status: 401,
    title: 'no API key was sent',
    meaning: 'the call carries no `Authorization: Bearer` header',
    mend: 'send the API key as `Authorization: Bearer KEY`',
  },
  invalid_key: {
    status: 401,
    title: 'the API key is not valid',
    meaning: 'no such key exists, or it was mistyped',
    mend: 'check that the key was copied as a whole, or make a new one',
  },
  key_revoked: {
    status: 401,
    title: 'the API key was revoked',
    meaning: 'somebody with an owner key has revoked this key',
    mend: 'ask the owner of the workspace for a new key',
  },
  key_expired: {
    status: 401,
    title: 'the API key has expired',
    meaning: 'the expiry date of the key has passed, or its time of grace after a rotation',
    mend: 'use the key it was rotated to, or ask the owner for a new one',
  },
  insufficient_scope: {
    status: 403,
    title: 'the API key may not do this',
    meaning: 'the kind of key, or the systems and workflows it is limited to, do not cover the call',
    mend: 'use a key of the right kind and with the right limits',
  },
  plan_limit: {
    status: 403,
    title: 'the plan does not include this',
    meaning: 'the plan of the workspace allows no more keys of this kind',
    mend: 'revoke a key that is no longer used, or ask the operator for a grant',
  },
  signup_closed: {
    status: 403,
    title: 'sign-up is closed',
    meaning: 'this instance makes no workspaces for strangers',
    mend: 'ask the operator for a workspace',
  },
  not_a_reviewer: {
    status: 403,
    title: 'this review is for other reviewers',
    meaning: 'every control of the review names groups, and the author of the verdict is in none of them',
    mend: 'let a member of one of the groups decide',
  },
  self_review: {
    status: 403,
    title: 'nobody reviews their own request',
    meaning: 'the author of the verdict asked for this write, or is behind a key that did',
    mend: 'let somebody else decide',
  },
  identity_too_weak: {
    status: 403,
    title: 'the review needs stronger proof of who decides',
    meaning: 'the review needs a person who signed in, or a verdict signed by a passkey',
    mend: 'sign in as a person, or sign the verdict with a passkey',
  },
  not_found: {
    status: 404,
    title: 'there is no such thing',
    meaning: 'the path or the identifier names nothing that this key can see',
    mend: 'check the path, the identifier and the workspace of the key',
  },
  method_not_allowed: {
    status: 405,
    title: 'the path does not take this method',
    meaning: 'the path exists, the method does not',
    mend: 'use one of the methods that the `Allow` header names',
  },
  request_in_flight: {
    status: 409,
    title: 'the first request with this idempotency key is still running',
    meaning: 'a request with the same idempotency key has not been answered yet',
    mend: 'wait a moment and send the same request again',
  },
  idempotency_key_expired: {
    status: 409,
    title: 'the stored allow is no longer good',
    meaning: 'its time ran out, the policy changed, or evidence it used was revoked',
    mend: 'ask again with a new idempotency key',
  },
  key_not_active: {
    status: 409,
    title: 'the key cannot be rotated',
    meaning: 'the key was rotated before, has expired or was revoked',
    mend: 'use the key that replaced it, or make a new key',
  },
  last_owner_key: {
    status: 409,
    title: 'the last lasting owner key must remain',
    meaning: 'without it nobody could manage the workspace any more',
    mend: 'make another owner key that never expires, then try again',
  },
  loosening_unconfirmed: {
    status: 409,
    title: 'the bundle could loosen decisions',
    meaning: 'the bundle cannot be shown to be at least as strict as the running one',
    mend: 'look at the examples, then confirm with `confirmLoosening`',
  },
  revision_conflict: {
    status: 409,
    title: 'another bundle is running by now',
    meaning: 'the digest in `If-Match` is not that of the running bundle',
    mend: 'read the running bundle, merge, and apply again',
  },
  managed_by_folder: {
    status: 409,
    title: 'the policies are managed by a folder',
    meaning: 'the instance takes the policies of this workspace from a folder',
    mend: 'change the files in the folder',
  },
  not_redeemable: {
    status: 409,
    title: 'the decision cannot be redeemed',
    meaning: 'it is no allow, has expired, is about another write, or what it rested on has changed',
    mend: 'ask for a new decision',
  },
  already_redeemed: {
    status: 409,
    title: 'the decision was redeemed before',
    meaning: 'an allow is good for one write, and this one has been used',
    mend: 'ask for a new decision',
  },
  not_reviewable: {
    status: 409,
    title: 'no review can resolve this decision',
    meaning:
      'the decision is no pause that a person could resolve, is too old, or was made under another policy',
    mend: 'supply what the details name, or ask for a new decision and open a review of that one',
  },
  review_closed: {
    status: 409,
    title: 'the review is closed',
    meaning: 'the review was decided, cancelled or has expired, or does not have the state the call needs',
    mend: 'read the review; if the write is still wanted, ask for a new decision and open a new review',
  },
  already_voted: {
    status: 409,
    title: 'there is another verdict of yours',
    meaning: 'the same author has approved this review and the review is still open',
    mend: 'withdraw that verdict, then give the other one',
  },
  body_too_large: {
    status: 413,
    title: 'the body is too large',
    meaning: 'the body is longer than this path takes, or what would be recorded of it is too long',
    mend: 'send less, or split a batch; where a small body is refused, let fewer profiles and sources stand for the same controls',
  },
  unsupported_media_type: {
    status: 415,
    title: 'the body is of the wrong type',
    meaning: 'the content type is not one this path takes, or the body is encoded',
    mend: 'send `Content-Type: application/json` and no `Content-Encoding`',
  },
  invalid_intent: {
    status: 422,
    title: 'the write intent is not valid',
    meaning: 'members are missing, of the wrong type or beyond a limit',
    mend: 'mend every place that the details name',
  },
  unknown_member: {
    status: 422,
    title: 'a member is misspelt',
    meaning:
      'a member that is not known is a spelling of one that is, and ignoring it could loosen the decision',
    mend: 'spell the member as the details suggest, or leave it out',
  },
  unsupported_schema_version: {
    status: 422,
    title: 'the schema version is not supported',
    meaning: 'the marker is not one of this version, or does not fit the shape of the body',
    mend: 'send `write_intent.v1`, or `action_request.v1` together with `operation`, or leave it out',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'the idempotency key belongs to another request',
    meaning: 'the key was used with another body, for another decision, or for another kind of request',
    mend: 'use a new idempotency key for every new request',
  },
  invalid_policy: {
    status: 422,
    title: 'the policy bundle is not valid',
    meaning: 'the bundle has errors, or one of its tests fails; the running bundle stays active',
    mend: 'mend every place that the details name',
  },
  invalid_request: {
    status: 422,
    title: 'the request is not valid',
    meaning: 'members, parameters or headers are missing, of the wrong type or beyond a limit',
    mend: 'mend every place that the details name',
  },
  assertion_invalid: {
    status: 422,
    title: 'the passkey assertion does not verify',
    meaning: 'the assertion is not of this verdict, this review and a passkey of its author',
    mend: 'sign the verdict again, or leave `assertion` out if the review does not need it',
  },
  quota_exceeded: {
    status: 429,
    title: 'the allowance of this month is used up',
    meaning: 'the workspace has had all the checks its plan includes this month',
    mend: 'wait until the time that `Retry-After` gives, or use a live key',
  },
  rate_limited: {
    status: 429,
    title: 'too many requests',
    meaning: 'the key or the address asks more often than it may',
    mend: 'wait for the seconds that `Retry-After` gives',
  },
  internal_error: {
    status: 500,
    title: 'something went wrong inside the service',
    meaning: 'no decision was reached, and the write is not permitted',
    mend: 'try again, and give the operator the `request_id` if it stays so',
  },
  overloaded: {
    status: 503,
    title: 'the service has more work than it can do in time',
    meaning: 'the request was turned away before any work on it began',
    mend: 'wait for the seconds that `Retry-After` gives',
  },
  store_unavailable: {
    status: 503,
    title: 'the decision could not be recorded',
    meaning: 'no decision leaves the service before its record is durable',
    mend: 'wait for the seconds that `Retry-After` gives, and treat the write as not permitted',
  },
  clock_behind: {
    status: 503,
    title: 'the clock of the service is behind',
    meaning: 'the clock is far behind the newest record, so no age could be trusted',
    mend: 'the operator must set the clock; wait for the seconds that `Retry-After` gives',
  },
} as const satisfies { readonly [code: string]: ErrorEntry };

export type ErrorCode = keyof typeof ERROR_CATALOGUE;
