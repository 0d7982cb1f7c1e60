/** What a write would need, and how to use up an allow. */
import type { Remediation, WriteIntent } from '@writecheck/contract';
import { callService } from './call-service.ts';
import type { NoDecisionCause, Unanswered } from './decision-types.ts';
import type { AbortSignalLike } from './platform.ts';
import type { Settings } from './settings.ts';
import { snapshotIntent } from './snapshot-intent.ts';

/** The inner members are as the service sent them. */
export interface Requirements {
  readonly kind: 'requirements';
  readonly requirements: readonly { readonly controlId: string; readonly [member: string]: unknown }[];
  readonly authority: { readonly [member: string]: unknown };
  /** What would be decided now. It permits nothing. */
  readonly evaluated: { readonly decision: string; readonly reason_code: string };
  readonly remediation: readonly Remediation[];
}

export type RequirementsAnswer = Requirements | Unanswered;

/** For example the decision of a check, or the leaf of a verified receipt. */
export interface RedeemableDecision {
  readonly decision_id?: string;
  readonly intentDigest?: string;
}

export interface RedeemOptions {
  /** To get the same response again after a crash or a lost response; it belongs to one decision. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignalLike;
}

export type RedeemAnswer =
  | { readonly kind: 'redeemed'; readonly redeemedAt: string }
  /** `cause.code` is `already_redeemed` or `not_redeemable` if the service said so. */
  | Unanswered;

export async function requirements(
  settings: Settings,
  intent: WriteIntent,
  { signal }: { readonly signal?: AbortSignalLike },
): Promise<RequirementsAnswer> {
  const snapshot = snapshotIntent(intent);
  if (snapshot.kind === 'unusable')
    return unanswered('invalid_intent', 'the intent cannot be written as a JSON object');
  const called = await callService(settings, {
    path: '/v1/requirements',
    body: snapshot.json,
    expects: 'a list of requirements',
    signal,
  });
  if (called.kind === 'unanswered') return called;
  const { requirements, authority, evaluated, remediation } = (called.value ?? {}) as Partial<Requirements>;
  if (
    !Array.isArray(requirements) ||
    !Array.isArray(remediation) ||
    !isObject(authority) ||
    !isObject(evaluated)
  )
    return unanswered('invalid_answer', 'the response is not a list of requirements: it lacks members');
  return { kind: 'requirements', requirements, authority, evaluated, remediation };
}

export async function redeem(
  settings: Settings,
  { decision_id: id, intentDigest }: RedeemableDecision,
  { idempotencyKey, signal }: RedeemOptions,
): Promise<RedeemAnswer> {
  if (typeof id !== 'string' || !/^\w{1,64}$/.test(id) || typeof intentDigest !== 'string')
    return unanswered('client_fault', 'a decision is redeemed by its `decision_id` and `intentDigest`');
  const called = await callService(settings, {
    path: `/v1/decisions/${id}/redeem`,
    body: JSON.stringify({ intentDigest }),
    expects: 'a redemption',
    // A key for this call alone: a retry after a lost response must not find the decision redeemed by another call.
    idempotencyKey: idempotencyKey ?? crypto.getRandomValues(new Uint32Array(4)).join('-'),
    signal,
  });
  if (called.kind === 'unanswered') return called;
  const { redeemed, redeemedAt } = (called.value ?? {}) as { redeemed?: unknown; redeemedAt?: unknown };
  if (redeemed === true && typeof redeemedAt === 'string') return { kind: 'redeemed', redeemedAt };
  return unanswered('invalid_answer', 'the response is not a redemption: it does not say so');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unanswered(kind: NoDecisionCause['kind'], message: string): Unanswered {
  return { kind: 'unanswered', cause: { kind, message } };
}
