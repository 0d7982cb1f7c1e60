/** Parses the bytes of a request into its checks: one check, or a batch. */
import { hash } from 'node:crypto';
import {
  canonicalIntent,
  type Decision,
  type DecisionTexts,
  type EngineDecision,
  parseBatch,
  parseIntent,
  type ResponseEnvelope,
  type WriteIntent,
} from '@writecheck/contract';
import type { PolicySnapshot } from '@writecheck/engine';
import type { CheckingKeyKind, StoredKey } from '@writecheck/store/port';
import { problemText } from '../exchange/problem-answer.ts';
import { isRefusal, type Refusal, refuse } from '../exchange/refusal.ts';
import type { RequestContext } from '../exchange/request-context.ts';
import { outOfScope } from '../features/keys/scope.ts';
import type { AnswerTexts } from './draft-answer.ts';
import { type CheckFamily, type IdempotencyKey, idempotencyKey, isVisibleAscii } from './idempotency.ts';
import { prefersReceipt } from './receipts.ts';
import type { Turn } from './turns.ts';

export type CheckingKey = StoredKey & { readonly kind: CheckingKeyKind };

/** A request after authentication: a checking key, the body's bytes, and the headers that matter here. */
export interface CheckCall {
  readonly kind: CheckFamily;
  /** Left out if the request is in our own form. */
  readonly form?: WireForm;
  readonly key: CheckingKey;
  readonly body: Uint8Array;
  readonly context: RequestContext;
  /** `Idempotency-Key`, as sent. */
  readonly idempotencyHeader: string | undefined;
  /** `Redeem`, as sent. */
  readonly redeemHeader?: string | undefined;
  /** `Prefer`, as sent. */
  readonly preferHeader?: string | undefined;
  /** Called with the number of checks in a batch, once it is known. */
  readonly onSized?: (checks: number) => void;
}

export interface Check {
  readonly intent: WriteIntent;
  /** From the parser. */
  readonly warnings: readonly string[];
  /** The intent's JSON as received. */
  readonly bytes: Uint8Array;
  readonly digest: string;
  /** If the intent was mapped from another form: the body as received, and which of its evaluations this is. */
  readonly received?: { readonly body: Uint8Array; readonly evaluation?: number };
}

/** How requests and responses look to a caller that does not speak our own form; the check between them is the same. */
export interface WireForm {
  parse(call: CheckCall, context: RequestContext, turn: Turn): Parsed | Refusal;
  /** Whether a request is mapped under this policy as it was for the decision at hand. */
  mapsAs(snapshot: PolicySnapshot): boolean;
  textsOf(decided: EngineDecision, texts: DecisionTexts, envelope: ResponseEnvelope): AnswerTexts;
  /** A refused check among the results of a batch. */
  errorText(refusal: Refusal): string;
  /** A kept response as this request prefers it; `receiptOf` is null if it wants no receipts. */
  again(kept: string, receiptOf: ((decisionId: string) => Promise<unknown>) | null): Promise<string>;
}

/** The call, parsed. */
export interface Asked {
  readonly form: WireForm | undefined;
  readonly key: CheckingKey;
  /** With the time at which its checks are decided. */
  readonly context: RequestContext;
  /** The checks that can be decided; the frame holds the errors of the others. */
  readonly checks: readonly Check[];
  /** The text before, between and after the responses to the checks: one more piece than there are checks. */
  readonly frame: readonly string[];
  /** Whether the response lists results, so that one refused check does not refuse the others. */
  readonly isBatch: boolean;
  /** Whether the checks after one with this decision are not reached; the response then ends with it. */
  readonly endsAfter?: (decision: Decision) => boolean;
  readonly idempotency: IdempotencyKey | null;
  /** By which the caller takes an allow with its decision; null if it does not. */
  readonly claim: string | null;
  /** Whether each decision carries its receipt. */
  readonly wantsReceipts: boolean;
}

export const NO_FRAME: readonly string[] = ['', ''];

export function parseRequest(call: CheckCall, context: RequestContext, turn: Turn): Asked | Refusal {
  const parsed =
    call.form?.parse(call, context, turn) ??
    (call.kind === 'check' ? parseOne(call) : parseMany(call, context, turn));
  if (isRefusal(parsed)) return parsed;
  const { idempotencyHeader, preferHeader } = call;
  const idempotency =
    idempotencyHeader === undefined
      ? null
      : idempotencyKey(idempotencyHeader, call.kind, call.body, call.key);
  if (idempotency !== null && isRefusal(idempotency)) return idempotency;
  const claim = claimIn(call, parsed.isBatch);
  if (claim !== null && isRefusal(claim)) return claim;
  return {
    form: call.form,
    key: call.key,
    context,
    ...parsed,
    idempotency,
    claim: claim?.claim ?? null,
    wantsReceipts: preferHeader !== undefined && prefersReceipt(preferHeader),
  };
}

/** INVARIANT: a claim comes with an `Idempotency-Key`, so that a lost answer never means a second allow. */
function claimIn(
  { redeemHeader, idempotencyHeader }: CheckCall,
  isBatch: boolean,
): { readonly claim: string } | Refusal | null {
  if (redeemHeader === undefined) return null;
  if (isBatch) return refuse('invalid_request', '`Redeem` is for a single check; take each allow by itself');
  if (!isVisibleAscii(redeemHeader))
    return refuse('invalid_request', '`Redeem` must be 1 to 255 visible ASCII characters');
  if (idempotencyHeader === undefined)
    return refuse(
      'invalid_request',
      '`Redeem` needs an `Idempotency-Key`, so that you can retry after a lost response',
    );
  return { claim: redeemHeader };
}

/** The digest that `intentDigest` computes, with this runtime's hash: `npm run bench -- micro`, case `sha256`. */
export function digestOf(intent: WriteIntent): string {
  return `sha256:${hash('sha256', canonicalIntent(intent))}`;
}

export type Parsed = Pick<Asked, 'checks' | 'frame' | 'isBatch' | 'endsAfter'>;

function parseOne({ key, body }: CheckCall): Parsed | Refusal {
  const parsed = parseIntent(body);
  if (parsed.kind === 'refused') return refuse(parsed.code, parsed.message, parsed.details);
  const { intent, warnings } = parsed;
  const refused = outOfScope(key, intent);
  if (refused !== null) return refused;
  return {
    checks: [{ intent, warnings, bytes: body, digest: digestOf(intent) }],
    frame: NO_FRAME,
    isBatch: false,
  };
}

/** A refused check of a batch gets its error in the frame, and the others are decided. */
function parseMany({ key, body, onSized }: CheckCall, context: RequestContext, turn: Turn): Parsed | Refusal {
  const parsed = parseBatch(body);
  if (parsed.kind === 'refused') return refuse(parsed.code, parsed.message, parsed.details);
  turn.isFor(parsed.checks.length);
  onSized?.(parsed.checks.length);
  const checks: Check[] = [];
  const frame = ['{"results":['];
  for (const [i, { parsed: own, bytes }] of parsed.checks.entries()) {
    if (i > 0) frame[frame.length - 1] += ',';
    const refused =
      own.kind === 'refused' ? refuse(own.code, own.message, own.details) : outOfScope(key, own.intent);
    if (refused !== null) {
      frame[frame.length - 1] += problemText(context, refused);
      continue;
    }
    // INVARIANT: a check that is not refused was parsed.
    const { intent, warnings } = own as Extract<typeof own, { kind: 'intent' }>;
    checks.push({ intent, warnings, bytes, digest: digestOf(intent) });
    frame.push('');
  }
  frame[frame.length - 1] += ']}';
  return { checks, frame, isBatch: true };
}
